import type { ApplicationEvent, Scope, Secret } from './events.ts';

export type ApplicationState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'suspended';
      readonly account: string;
      /** Empty if it was erased. */
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly secrets: readonly Secret[];
    }
  | { readonly status: 'deleted'; readonly account: string };

export const initial: ApplicationState = { status: 'absent' };

export const evolve = (state: ApplicationState, event: ApplicationEvent): ApplicationState => {
  if (event.type === 'ApplicationRegistered') {
    const { account, name, scopes, secret } = event;
    return { status: 'active', account, name, scopes, secrets: [secret] };
  }
  if (event.type === 'ApplicationRedacted') {
    const { account, status, scopes, secrets } = event;
    return status === 'deleted' ? { status, account } : { status, account, name: '', scopes, secrets };
  }
  if (state.status === 'absent' || state.status === 'deleted') return state;
  switch (event.type) {
    case 'SecretAdded':
      return { ...state, secrets: [...state.secrets, event.secret] };
    case 'SecretDropped':
      return { ...state, secrets: state.secrets.filter((secret) => secret.id !== event.secretId) };
    case 'ApplicationSuspended':
      return { ...state, status: 'suspended' };
    case 'ApplicationResumed':
      return { ...state, status: 'active' };
    case 'ApplicationScopesChanged':
      return { ...state, scopes: event.scopes };
    case 'ApplicationDeleted':
      return { status: 'deleted', account: state.account };
  }
};

/** Returns the revision of the last suspension after an event; -1 if there was none.
 * @param before the value before the event */
export const lastSuspension = (event: ApplicationEvent, revision: number, before: number): number => {
  if (event.type === 'ApplicationRedacted') return event.suspended ?? -1;
  return event.type === 'ApplicationSuspended' ? revision : before;
};
