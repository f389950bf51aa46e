import { type Decider, type Decision, happened, refused } from '../decider.ts';
import { changes, isEmpty } from '../fields.ts';
import type { HappeningCommand, HappeningRefusal, PinpointAvailability } from './commands.ts';
import type { HappeningEvent } from './events.ts';
import { evolve, type HappeningState, initial } from './state.ts';

type HappeningDecision = Decision<HappeningEvent, HappeningRefusal>;
type PresentHappening = Extract<HappeningState, { status: 'present' }>;
type RestoreHappening = Extract<HappeningCommand, { type: 'RestoreHappening' }>;
type ChangeOfHappening = Exclude<HappeningCommand, RestoreHappening | { type: 'CreateHappening' }>;

export const decide = (happening: HappeningState, command: HappeningCommand): HappeningDecision => {
  if (command.type === 'CreateHappening') {
    if (happening.status !== 'absent') return refused('id-taken');
    return (
      refusedBy(command.place) ??
      happened({
        type: 'HappeningCreated',
        account: command.account,
        happening: command.happening,
        fields: command.fields,
      })
    );
  }
  if (command.type === 'RestoreHappening') return restore(happening, command);
  if (happening.status !== 'present' || !command.pinpointExists) return refused('not-found');
  if (happening.account !== command.account) return refused('forbidden');
  return change(happening, command);
};

const change = (happening: PresentHappening, command: ChangeOfHappening): HappeningDecision => {
  switch (command.type) {
    case 'EditHappening': {
      const changed = changes(happening.fields, command.fields);
      if (changed.pinpoint !== undefined) {
        const refusal = refusedBy(command.place);
        if (refusal) return refusal;
      }
      return isEmpty(changed) ? happened() : happened({ type: 'HappeningEdited', happening: command.happening, fields: changed });
    }
    case 'DeleteHappening':
      return happened({ type: 'HappeningDeleted', happening: command.happening });
  }
};

/** Sets all fields to earlier values. The limit of a pinpoint's happenings is not checked. */
const restore = (happening: HappeningState, { account, happening: id, fields, pinpointExists }: RestoreHappening): HappeningDecision => {
  if (happening.status === 'absent') return refused('not-found');
  if (happening.account !== account) return refused('forbidden');
  if (!pinpointExists) return refused('unknown-pinpoint');
  const isAsItWas = happening.status === 'present' && isEmpty(changes(happening.fields, fields));
  return isAsItWas ? happened() : happened({ type: 'HappeningRestored', happening: id, fields });
};

const refusedBy = (place: PinpointAvailability): Decision<never, 'unknown-pinpoint' | 'too-many-happenings'> | undefined => {
  switch (place) {
    case 'present':
      return undefined;
    case 'unknown':
      return refused('unknown-pinpoint');
    case 'full':
      return refused('too-many-happenings');
  }
};

/** The types of the aggregate. */
export type Happening = {
  readonly state: HappeningState;
  readonly command: HappeningCommand;
  readonly event: HappeningEvent;
  readonly refusal: HappeningRefusal;
};

export const happeningDecider: Decider<Happening> = {
  initial,
  evolve,
  decide,
};
