import type { ListEvent, ListFields } from './events.ts';

/** `members`: the ids of members. A state that was looked up contains only those that the request names, and those of all later events. */
export type ListState =
  | { readonly status: 'absent' }
  /** Its creation was erased, and its fields are not restated yet. */
  | { readonly status: 'erased'; readonly members: ReadonlySet<number> }
  | { readonly status: 'present'; readonly account: string; readonly fields: ListFields; readonly members: ReadonlySet<number> }
  /** `members`: those that it had, and has again if it is restored. */
  | { readonly status: 'deleted'; readonly account: string; readonly members: ReadonlySet<number> };

export const initial: ListState = { status: 'absent' };

export const evolve = (state: ListState, event: ListEvent): ListState => {
  switch (event.type) {
    case 'ListCreated':
      return { status: 'present', account: event.account, fields: event.fields, members: new Set() };
    case 'ListEdited':
      return state.status === 'present' ? { ...state, fields: { ...state.fields, ...event.fields } } : state;
    case 'ListDeleted':
      return state.status === 'present' ? { status: 'deleted', account: state.account, members: state.members } : state;
    case 'ListRestored':
      return 'account' in state ? { status: 'present', account: state.account, fields: event.fields, members: state.members } : state;
    case 'PinpointsAdded':
      return withMembers(state, (members) => new Set([...members, ...event.pinpoints]));
    case 'PinpointsRemoved':
      return withMembers(state, (members) => without(members, event.pinpoints));
    case 'ListMembersRestated': {
      const others = [...membersOf(state)].filter((member) => member < event.from || member > event.to);
      const members = new Set([...others, ...event.members]);
      return state.status === 'absent' ? { status: 'erased', members } : { ...state, members };
    }
    case 'ListRedacted': {
      const { account, fields } = event;
      const members = 'members' in event ? new Set(event.members) : membersOf(state);
      return fields ? { status: 'present', account, fields, members } : { status: 'deleted', account, members };
    }
  }
};

type Members = ReadonlySet<number>;

const membersOf = (state: ListState): Members => (state.status === 'absent' ? new Set() : state.members);

/** Changes the members of a list that can have such a change: one that is present, or whose creation was erased. */
const withMembers = (state: ListState, change: (members: Members) => Members): ListState =>
  state.status === 'present' || state.status === 'erased' ? { ...state, members: change(state.members) } : state;

const without = (members: Members, removed: readonly number[]): Members => {
  const kept = new Set(members);
  for (const pinpoint of removed) kept.delete(pinpoint);
  return kept;
};
