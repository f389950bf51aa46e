import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import { type ApplicationState, evolve, initial, lastSuspension } from '@waymark/domain/application/state.ts';
import type { Change, Fact, Lookup } from './change.ts';

/** Returns the application's new state, computed by the domain. Of a deleted application only its existence is kept. */
export const applicationChanged = (says: ApplicationEvent, { revision }: Fact, lookup: Lookup): readonly Change[] => {
  const before = says.type === 'ApplicationRegistered' ? undefined : lookup.application(says.application);
  const state: ApplicationState = evolve(before ?? initial, says);
  if (state.status === 'absent') return [];
  const { status, account } = state;
  const { name, scopes, secrets } = state.status === 'deleted' ? dropped : state;
  const suspended = lastSuspension(says, revision, before?.suspended ?? -1);
  const document = { id: says.application, account, revision, status, suspended, name, scopes, secrets };
  return [{ type: 'application-put', document }];
};

const dropped = { name: '', scopes: [], secrets: [] };
