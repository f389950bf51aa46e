import { createHash } from 'node:crypto';
import { type Decider, type Decision, happened } from '../decider.ts';
import type { AccountCommand, AccountRefusal } from './commands.ts';
import type { AccountEvent } from './events.ts';
import { type AccountState, evolve, initial } from './state.ts';

/** Returns 32 hex digits that replace a name wherever personal data must not appear. */
export const accountId = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

export const decide = (state: AccountState, command: AccountCommand): Decision<AccountEvent, AccountRefusal> =>
  state.status === 'open' ? happened() : happened({ type: 'AccountOpened', account: command.account, name: command.name });

/** The types of the aggregate. */
export type Account = {
  readonly state: AccountState;
  readonly command: AccountCommand;
  readonly event: AccountEvent;
  readonly refusal: AccountRefusal;
};

export const accountDecider: Decider<Account> = {
  initial,
  evolve,
  decide,
};
