import { type Decider, type Decision, happened, refused } from '../decider.ts';
import type { ApplicationCommand, ApplicationRefusal } from './commands.ts';
import type { ApplicationEvent } from './events.ts';
import { type ApplicationState, evolve, initial } from './state.ts';

/** Two live secrets let a client change from one to the other without an outage. */
export const secretsMax = 2;

type ApplicationDecision = Decision<ApplicationEvent, ApplicationRefusal>;
type LivingApplication = Extract<ApplicationState, { status: 'active' | 'suspended' }>;
type ChangeOfApplication = Exclude<ApplicationCommand, { type: 'RegisterApplication' }>;

export const decide = (state: ApplicationState, command: ApplicationCommand): ApplicationDecision => {
  if (command.type === 'RegisterApplication') {
    const { type: _, ...registration } = command;
    return state.status === 'absent' ? happened({ type: 'ApplicationRegistered', ...registration }) : refused('id-taken');
  }
  if (state.status === 'absent' || state.status === 'deleted') return refused('not-found');
  return change(state, command);
};

const change = (state: LivingApplication, command: ChangeOfApplication): ApplicationDecision => {
  const { application } = command;
  switch (command.type) {
    case 'AddSecret':
      if (state.secrets.length >= secretsMax) return refused('two-secrets');
      return happened({ type: 'SecretAdded', application, secret: command.secret });
    case 'DropSecret':
      if (!state.secrets.some((secret) => secret.id === command.secretId)) return refused('unknown-secret');
      return happened({ type: 'SecretDropped', application, secretId: command.secretId });
    case 'SuspendApplication':
      return state.status === 'suspended' ? happened() : happened({ type: 'ApplicationSuspended', application });
    case 'ResumeApplication':
      return state.status === 'active' ? happened() : happened({ type: 'ApplicationResumed', application });
    case 'DeleteApplication':
      return happened({ type: 'ApplicationDeleted', application });
    case 'ChangeScopes':
      if (new Set(state.scopes).symmetricDifference(new Set(command.scopes)).size === 0) return happened();
      return happened({ type: 'ApplicationScopesChanged', application, scopes: command.scopes });
  }
};

/** The types of the aggregate. */
export type Application = {
  readonly state: ApplicationState;
  readonly command: ApplicationCommand;
  readonly event: ApplicationEvent;
  readonly refusal: ApplicationRefusal;
};

export const applicationDecider: Decider<Application> = {
  initial,
  evolve,
  decide,
};
