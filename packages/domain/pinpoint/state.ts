import type { PinpointEvent, PinpointFields } from './events.ts';

export type PinpointState =
  | { readonly status: 'absent' }
  | { readonly status: 'present'; readonly account: string; readonly fields: PinpointFields }
  | { readonly status: 'deleted'; readonly account: string };

export const initial: PinpointState = { status: 'absent' };

export const evolve = (state: PinpointState, event: PinpointEvent): PinpointState => {
  switch (event.type) {
    case 'PinpointCreated':
      return { status: 'present', account: event.account, fields: event.fields };
    case 'PinpointEdited':
      return state.status === 'present' ? { ...state, fields: { ...state.fields, ...event.fields } } : state;
    case 'PinpointDeleted':
      return state.status === 'present' ? { status: 'deleted', account: state.account } : state;
    case 'PinpointRestored':
      return state.status === 'absent' ? state : { status: 'present', account: state.account, fields: event.fields };
    case 'PinpointRedacted': {
      const { account, fields } = event;
      return fields ? { status: 'present', account, fields } : { status: 'deleted', account };
    }
  }
};
