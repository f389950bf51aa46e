import { type Decider, type Decision, happened, refused } from '../decider.ts';
import { changes, isEmpty } from '../fields.ts';
import type { ListCommand, ListRefusal } from './commands.ts';
import type { ListEvent } from './events.ts';
import { evolve, initial, type ListState } from './state.ts';

type ListDecision = Decision<ListEvent, ListRefusal>;
type PresentList = Extract<ListState, { status: 'present' }>;
type RestoreList = Extract<ListCommand, { type: 'RestoreList' }>;
type ChangeOfList = Exclude<ListCommand, RestoreList | { type: 'CreateList' }>;

export const decide = (list: ListState, command: ListCommand): ListDecision => {
  if (command.type === 'CreateList') {
    if (list.status !== 'absent') return refused('id-taken');
    return happened({ type: 'ListCreated', account: command.account, list: command.list, fields: command.fields });
  }
  if (command.type === 'RestoreList') return restore(list, command);
  if (list.status !== 'present') return refused('not-found');
  if (list.account !== command.account) return refused('forbidden');
  return change(list, command);
};

/** Sets all fields to earlier values. The members of a present list stay, and a deleted one has again those that it had. */
const restore = (list: ListState, { account, list: id, fields }: RestoreList): ListDecision => {
  if (list.status === 'absent' || list.status === 'erased') return refused('not-found');
  if (list.account !== account) return refused('forbidden');
  const isAsItWas = list.status === 'present' && isEmpty(changes(list.fields, fields));
  return isAsItWas ? happened() : happened({ type: 'ListRestored', list: id, fields });
};

const change = (list: PresentList, command: ChangeOfList): ListDecision => {
  switch (command.type) {
    case 'EditList': {
      const changed = changes(list.fields, command.fields);
      return isEmpty(changed) ? happened() : happened({ type: 'ListEdited', list: command.list, fields: changed });
    }
    case 'DeleteList':
      return happened({ type: 'ListDeleted', list: command.list });
    case 'AddPinpoints': {
      const pinpoints = command.pinpoints.filter((pinpoint) => !list.members.has(pinpoint));
      if (pinpoints.length === 0) return happened();
      return happened({ type: 'PinpointsAdded', list: command.list, pinpoints, notAdded: command.notAdded });
    }
    case 'RemovePinpoints': {
      const pinpoints = command.pinpoints.filter((pinpoint) => list.members.has(pinpoint));
      return pinpoints.length === 0 ? happened() : happened({ type: 'PinpointsRemoved', list: command.list, pinpoints });
    }
  }
};

/** The types of the aggregate. */
export type List = {
  readonly state: ListState;
  readonly command: ListCommand;
  readonly event: ListEvent;
  readonly refusal: ListRefusal;
};

export const listDecider: Decider<List> = { initial, evolve, decide };
