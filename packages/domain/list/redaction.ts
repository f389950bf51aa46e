import type { ErasureSummary } from '../erasure-summary.ts';
import type { ListEvent, ListMembersRestated, ListRedacted } from './events.ts';
import { createMemberRanges, lastId, type MemberRanges } from './member-ranges.ts';
import { evolve, initial, type ListState } from './state.ts';

/** Computes the events of a list's erasure from its events. */
export const redactionOfList = (list: number) => {
  const members = createMemberRanges();
  let state: ListState = initial;
  return {
    add: (event: ListEvent): void => {
      if (hasMembers(state)) changeMembers(members, event);
      restateMembers(members, event);
      state = withoutMembers(evolve(state, event));
    },
    pieceFrom: (from: number): ListMembersRestated | undefined => {
      const range = 'account' in state ? members.rangeFrom(from) : undefined;
      return range && { type: 'ListMembersRestated', list, ...range };
    },
    fact: (summary: ErasureSummary, restatedFrom: number): ListRedacted | undefined => {
      if (!('account' in state)) return undefined;
      const fields = state.status === 'present' ? state.fields : null;
      return { type: 'ListRedacted', account: state.account, list, summary, fields, restatedFrom };
    },
  };
};

/** Returns whether events may add members to a list, or remove some: it is present, or its creation was erased. */
const hasMembers = ({ status }: ListState): boolean => status === 'present' || status === 'erased';

const changeMembers = (members: MemberRanges, event: ListEvent): void => {
  if (event.type === 'PinpointsAdded') members.add(event.pinpoints);
  if (event.type === 'PinpointsRemoved') members.remove(event.pinpoints);
};

const restateMembers = (members: MemberRanges, event: ListEvent): void => {
  if (event.type === 'ListMembersRestated') members.restate(event);
  if (event.type === 'ListCreated') members.restate({ from: 0, to: lastId, members: [] });
  if (event.type === 'ListRedacted' && 'members' in event) members.restate({ from: 0, to: lastId, members: event.members });
};

const none: ReadonlySet<number> = new Set();

/** The members are kept beside the state, because `evolve` copies them with every change. */
const withoutMembers = (state: ListState): ListState => (state.status === 'absent' ? state : { ...state, members: none });
