import type { ListEvent, ListFields } from './events.ts';

export type ListState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'present';
      readonly account: string;
      readonly fields: ListFields;
      /** The ids of members. A state that was looked up contains only those that the request names, and those of all later events. */
      readonly members: ReadonlySet<number>;
    }
  | { readonly status: 'deleted'; readonly account: string };

export const initial: ListState = { status: 'absent' };

export const evolve = (state: ListState, event: ListEvent): ListState => {
  if (event.type === 'ListCreated') {
    return { status: 'present', account: event.account, fields: event.fields, members: new Set() };
  }
  if (event.type === 'ListRedacted') {
    const { account, fields, members } = event;
    return fields ? { status: 'present', account, fields, members: new Set(members) } : { status: 'deleted', account };
  }
  if (state.status !== 'present') return state;
  switch (event.type) {
    case 'ListEdited':
      return { ...state, fields: { ...state.fields, ...event.fields } };
    case 'ListDeleted':
      return { status: 'deleted', account: state.account };
    case 'PinpointsAdded':
      return { ...state, members: new Set([...state.members, ...event.pinpoints]) };
    case 'PinpointsRemoved': {
      const members = new Set(state.members);
      for (const pinpoint of event.pinpoints) members.delete(pinpoint);
      return { ...state, members };
    }
  }
};
