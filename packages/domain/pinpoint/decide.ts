import { type Decider, type Decision, happened, refused } from '../decider.ts';
import { changes, isEmpty } from '../fields.ts';
import type { PinpointCommand, PinpointRefusal } from './commands.ts';
import type { PinpointEvent } from './events.ts';
import { evolve, initial, type PinpointState } from './state.ts';

export const decide = (pinpoint: PinpointState, command: PinpointCommand): Decision<PinpointEvent, PinpointRefusal> => {
  switch (command.type) {
    case 'CreatePinpoint': {
      if (pinpoint.status !== 'absent') return refused('id-taken');
      if (!command.categoryExists) return refused('unknown-category');
      return happened({
        type: 'PinpointCreated',
        account: command.account,
        pinpoint: command.pinpoint,
        fields: command.fields,
      });
    }
    case 'EditPinpoint': {
      if (pinpoint.status !== 'present') return refused('not-found');
      if (pinpoint.account !== command.account) return refused('forbidden');
      if (!command.categoryExists) return refused('unknown-category');
      const changed = changes(pinpoint.fields, command.fields);
      return isEmpty(changed) ? happened() : happened({ type: 'PinpointEdited', pinpoint: command.pinpoint, fields: changed });
    }
    case 'RestorePinpoint': {
      if (pinpoint.status === 'absent') return refused('not-found');
      if (pinpoint.account !== command.account) return refused('forbidden');
      const isAsItWas = pinpoint.status === 'present' && isEmpty(changes(pinpoint.fields, command.fields));
      return isAsItWas ? happened() : happened({ type: 'PinpointRestored', pinpoint: command.pinpoint, fields: command.fields });
    }
    case 'DeletePinpoint': {
      if (pinpoint.status !== 'present') return refused('not-found');
      if (pinpoint.account !== command.account) return refused('forbidden');
      return happened({ type: 'PinpointDeleted', pinpoint: command.pinpoint });
    }
  }
};

/** The types of the aggregate. */
export type Pinpoint = {
  readonly state: PinpointState;
  readonly command: PinpointCommand;
  readonly event: PinpointEvent;
  readonly refusal: PinpointRefusal;
};

export const pinpointDecider: Decider<Pinpoint> = {
  initial,
  evolve,
  decide,
};
