import { given } from '../testing/given.ts';
import { sampleEvents } from '../testing/samples.ts';
import type { ApplicationCommand } from './commands.ts';
import { applicationDecider, secretsMax } from './decide.ts';
import type { ApplicationEvent, Scope } from './events.ts';

const {
  ApplicationRegistered: registered,
  SecretAdded: added,
  SecretDropped: dropped,
  ApplicationSuspended: suspended,
  ApplicationResumed: resumed,
  ApplicationDeleted: deleted,
  ApplicationScopesChanged: scopesChanged,
  ApplicationRedacted: redacted,
} = sampleEvents;
const { application } = registered;
const register = { ...registered, type: 'RegisterApplication' } as const;
const addSecret = { type: 'AddSecret', application, secret: added.secret } as const;
const dropSecret = (secretId: string) => ({ type: 'DropSecret', application, secretId }) as const;
const suspend = { type: 'SuspendApplication', application } as const;
const resume = { type: 'ResumeApplication', application } as const;
const changeScopes = (...scopes: readonly Scope[]) => ({ type: 'ChangeScopes', application, scopes }) as const;
const remove = { type: 'DeleteApplication', application } as const;

const applicationWith = (...history: readonly ApplicationEvent[]) => given(applicationDecider, history);

describe('registering an application', () => {
  it('records its account, its scopes and its first secret', () => {
    applicationWith().when(register).then(registered);
  });

  it('is refused if the id was used before, even by an application that was deleted since', () => {
    applicationWith(registered).when(register).refuses('id-taken');
    applicationWith(registered, deleted).when(register).refuses('id-taken');
  });
});

describe('the secrets of an application', () => {
  it('are at most two, so that a client can change from one to the other', () => {
    expect(secretsMax).toBe(2);
    applicationWith(registered).when(addSecret).then(added);
    applicationWith(registered, added)
      .when({ ...addSecret, secret: { id: 'secret-3', hash: 'h' } })
      .refuses('two-secrets');
  });

  it('can be added again after one was dropped', () => {
    applicationWith(registered, added, dropped)
      .when({ ...addSecret, secret: { id: 'secret-3', hash: 'h' } })
      .then({ ...added, secret: { id: 'secret-3', hash: 'h' } });
  });

  it('can be dropped, including the last one', () => {
    applicationWith(registered, added).when(dropSecret('secret-1')).then(dropped);
    applicationWith(registered).when(dropSecret('secret-1')).then(dropped);
  });

  it('cannot be dropped if they are unknown or already dropped', () => {
    applicationWith(registered).when(dropSecret('secret-9')).refuses('unknown-secret');
    applicationWith(registered, added, dropped).when(dropSecret('secret-1')).refuses('unknown-secret');
  });

  it('can be added and dropped while the application is suspended; it stays suspended', () => {
    applicationWith(registered, suspended).when(addSecret).then(added);
    applicationWith(registered, suspended, added).when(dropSecret('secret-1')).then(dropped);
    applicationWith(registered, suspended, added, dropped).when(suspend).then();
  });
});

describe('suspending an application', () => {
  it('is recorded once', () => {
    applicationWith(registered).when(suspend).then(suspended);
    applicationWith(registered, suspended).when(suspend).then();
  });

  it('is undone by resuming it, which is recorded once', () => {
    applicationWith(registered, suspended).when(resume).then(resumed);
    applicationWith(registered, suspended, resumed).when(resume).then();
    applicationWith(registered).when(resume).then();
  });

  it('can be done again afterwards', () => {
    applicationWith(registered, suspended, resumed).when(suspend).then(suspended);
  });
});

describe('the scopes of an application', () => {
  it('are granted and revoked', () => {
    applicationWith(registered)
      .when(changeScopes('write', 'read', 'audit'))
      .then(scopesChanged);
    applicationWith(registered, scopesChanged)
      .when(changeScopes('read'))
      .then({ ...scopesChanged, scopes: ['read'] });
  });

  it('are not recorded again if they are the same, in any order', () => {
    applicationWith(registered).when(changeScopes('read', 'write')).then();
    applicationWith(registered, scopesChanged)
      .when(changeScopes('audit', 'read', 'write'))
      .then();
  });

  it('can be changed while the application is suspended; it stays suspended', () => {
    applicationWith(registered, suspended)
      .when(changeScopes('write', 'read', 'audit'))
      .then(scopesChanged);
    applicationWith(registered, suspended, scopesChanged).when(suspend).then();
  });

  it('are kept by an erasure', () => {
    applicationWith(redacted).when(changeScopes('read', 'write')).then();
    applicationWith(redacted)
      .when(changeScopes('write', 'read', 'audit'))
      .then(scopesChanged);
  });
});

describe('an application whose earlier events were erased', () => {
  it('keeps its secrets and whether it is suspended', () => {
    applicationWith(redacted).when(dropSecret('secret-1')).then(dropped);
    applicationWith(redacted).when(resume).then();
    applicationWith({ ...redacted, status: 'suspended' })
      .when(resume)
      .then(resumed);
  });

  it('stays deleted', () => {
    applicationWith({ ...redacted, status: 'deleted', scopes: [], secrets: [] })
      .when(resume)
      .refuses('not-found');
  });
});

describe('deleting an application', () => {
  it('is recorded whether it is suspended or not', () => {
    applicationWith(registered).when(remove).then(deleted);
    applicationWith(registered, suspended).when(remove).then(deleted);
  });
});

describe.each<ApplicationCommand>([addSecret, dropSecret('secret-1'), suspend, resume, remove, changeScopes('audit')])(
  '$type',
  (command) => {
    it('is refused if the application does not exist or is deleted', () => {
      applicationWith().when(command).refuses('not-found');
      applicationWith(registered, deleted).when(command).refuses('not-found');
      applicationWith(registered, suspended, deleted).when(command).refuses('not-found');
    });
  },
);
