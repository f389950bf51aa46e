import { randomBytes, randomUUID } from 'node:crypto';
import { accountDecider, accountId } from '@waymark/domain/account/decide.ts';
import type { ApplicationCommand, ApplicationRefusal } from '@waymark/domain/application/commands.ts';
import { applicationDecider } from '@waymark/domain/application/decide.ts';
import type { Scope, Secret } from '@waymark/domain/application/events.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { accountStream, applicationStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import type { ApplicationDocument, ReadModels } from '@waymark/read-models/read-models.ts';
import type { Applications, KnownApplication } from './applications.ts';
import { accountReadsConcurrent, applicationsListedMax, attemptsMax } from './limits.ts';

/** The credentials of an application. The secret is shown only once. */
export type Credentials = { readonly client_id: string; readonly client_secret: string; readonly secret_id: string };

/** Thrown when a change of an application is refused. */
export class RegistryRefusal extends Error {
  readonly refusal: ApplicationRefusal;
  constructor(refusal: ApplicationRefusal) {
    super(`refused: ${refusal}`);
    this.refusal = refusal;
  }
}

/** An application with the name of its account. */
export type ListedApplication = ApplicationDocument & { readonly accountName: string };

/** The accounts and their applications, and what an operator can do with them. */
export type Registry = {
  /** Opens the account if it does not exist yet. */
  readonly register: (account: string, name: string, scopes: readonly Scope[]) => Promise<Credentials>;
  readonly list: () => Promise<readonly ListedApplication[]>;
  /** Adds a second secret. The first one stays valid until it is dropped. */
  readonly rotate: (application: string) => Promise<Credentials>;
  readonly dropSecret: (application: string, secretId: string) => Promise<void>;
  readonly suspend: (application: string) => Promise<void>;
  readonly resume: (application: string) => Promise<void>;
  readonly remove: (application: string) => Promise<void>;
  /** Replaces the scopes. Tokens that the application has are limited to them. */
  readonly changeScopes: (application: string, scopes: readonly Scope[]) => Promise<void>;
};

export type RegistryOptions = {
  readonly log: EventLog;
  readonly models: ReadModels;
  readonly applications: Applications;
  readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
};

export const createRegistry = (options: RegistryOptions): Registry => {
  const change = (application: string, command: ApplicationCommand) => changeApplication(options, application, command);
  return {
    register: async (accountName, name, scopes) => {
      const account = accountId(accountName);
      await openAccount(options.log, account, accountName);
      const application = randomBytes(16).toString('hex');
      const { clear, secret } = newSecret();
      await change(application, { type: 'RegisterApplication', account, application, name, scopes, secret });
      return { client_id: application, client_secret: clear, secret_id: secret.id };
    },
    list: () => listApplications(options),
    rotate: async (application) => {
      const { clear, secret } = newSecret();
      await change(application, { type: 'AddSecret', application, secret });
      return { client_id: application, client_secret: clear, secret_id: secret.id };
    },
    dropSecret: (application, secretId) => change(application, { type: 'DropSecret', application, secretId }),
    suspend: (application) => change(application, { type: 'SuspendApplication', application }),
    resume: (application) => change(application, { type: 'ResumeApplication', application }),
    remove: (application) => change(application, { type: 'DeleteApplication', application }),
    changeScopes: (application, scopes) => change(application, { type: 'ChangeScopes', application, scopes }),
  };
};

const listApplications = async ({ log, models }: RegistryOptions): Promise<readonly ListedApplication[]> => {
  const applications = await models.applications('', applicationsListedMax);
  const accounts = [...new Set(applications.map((application) => application.account))];
  const names = new Map<string, string>();
  for (let from = 0; from < accounts.length; from += accountReadsConcurrent) {
    const some = accounts.slice(from, from + accountReadsConcurrent);
    await Promise.all(some.map(async (account) => names.set(account, await accountName(log, account))));
  }
  return applications.map((application) => ({ ...application, accountName: names.get(application.account) ?? '' }));
};

/** Returns an empty name if it was erased. */
const accountName = async (log: EventLog, account: string): Promise<string> => {
  const [openAccount] = await log.read(accountStream(account), 0);
  const fact = openAccount === undefined ? undefined : decode(openAccount);
  return fact?.type === 'AccountOpened' ? fact.name : '';
};

const newSecret = (): { readonly clear: string; readonly secret: Secret } => {
  const clear = randomBytes(32).toString('base64url');
  return { clear, secret: { id: randomUUID().slice(0, 8), hash: secretHash(clear) } };
};

const changeApplication = async (options: RegistryOptions, application: string, command: ApplicationCommand): Promise<void> => {
  const { log, applications, visible } = options;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const known = await applications.refresh(application);
    const decision = applicationDecider.decide(known.state, command);
    if (decision.outcome === 'refused') throw new RegistryRefusal(decision.refusal);
    const [fact] = decision.events;
    if (fact === undefined) return;
    const account = accountOf(known, command);
    const appended = await append(log, applicationStream(application), fact, account, revisionOf(known));
    if (appended === undefined) continue;
    Atomics.add(applications.changes, 0, 1);
    await applications.refresh(application);
    await visible(account, appended);
    return;
  }
  throw unavailable('Too many changes of this application at once.');
};

const revisionOf = ({ revision }: KnownApplication): Revision => (revision < 0 ? 'none' : revision);

const accountOf = ({ state }: KnownApplication, command: ApplicationCommand): string => {
  if (state.status !== 'absent') return state.account;
  return command.type === 'RegisterApplication' ? command.account : '';
};

const openAccount = async (log: EventLog, account: string, name: string): Promise<void> => {
  const stream = accountStream(account);
  const [last] = await log.lastRevisions([stream]);
  if (last !== 'none') return;
  const decision = accountDecider.decide(accountDecider.initial, { type: 'OpenAccount', account, name });
  const [fact] = decision.outcome === 'happened' ? decision.events : [];
  // After a conflict there is nothing to do: another process has just opened the account.
  if (fact !== undefined) await append(log, stream, fact, account, 'none');
};

/** Returns the position of the event, or undefined after a conflict. */
const append = async (
  log: EventLog,
  stream: string,
  fact: DomainEvent,
  account: string,
  expected: Revision,
): Promise<number | undefined> => {
  const appended = await log.append(stream, [sealFact(fact, { account, origin: operators })], expected);
  return appended.outcome === 'appended' ? appended.position : undefined;
};
