import type { AccountEvent } from './events.ts';

export type AccountState = { readonly status: 'absent' } | { readonly status: 'open'; readonly name: string };

export const initial: AccountState = { status: 'absent' };

export const evolve = (_state: AccountState, event: AccountEvent): AccountState => ({ status: 'open', name: event.name });
