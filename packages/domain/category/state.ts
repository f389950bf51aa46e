import type { CategoryEvent, CategoryFields } from './events.ts';

export type CategoryState =
  | { readonly status: 'absent' }
  | { readonly status: 'present'; readonly account: string; readonly fields: CategoryFields };

export const initial: CategoryState = { status: 'absent' };

export const evolve = (state: CategoryState, event: CategoryEvent): CategoryState => {
  switch (event.type) {
    case 'CategoryCreated':
    case 'CategoryRedacted':
      return { status: 'present', account: event.account, fields: event.fields };
    case 'CategoryEdited':
      return state.status === 'present' ? { ...state, fields: { ...state.fields, ...event.fields } } : state;
  }
};
