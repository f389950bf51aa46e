import type { HappeningEvent, HappeningFields } from './events.ts';

export type HappeningState =
  | { readonly status: 'absent' }
  | { readonly status: 'present'; readonly account: string; readonly fields: HappeningFields }
  | { readonly status: 'deleted'; readonly account: string };

export const initial: HappeningState = { status: 'absent' };

export const evolve = (state: HappeningState, event: HappeningEvent): HappeningState => {
  switch (event.type) {
    case 'HappeningCreated':
      return { status: 'present', account: event.account, fields: event.fields };
    case 'HappeningEdited':
      return state.status === 'present' ? { ...state, fields: { ...state.fields, ...event.fields } } : state;
    case 'HappeningDeleted':
      return state.status === 'present' ? { status: 'deleted', account: state.account } : state;
    case 'HappeningRestored':
      return state.status === 'absent' ? state : { status: 'present', account: state.account, fields: event.fields };
    case 'HappeningRedacted': {
      const { account, fields } = event;
      return fields ? { status: 'present', account, fields } : { status: 'deleted', account };
    }
  }
};
