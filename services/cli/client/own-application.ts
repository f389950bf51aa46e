import type { ApplicationEntry, Credentials } from '@waymark/operations/api/answers.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import type { Operator } from './operator.ts';

/** The application that a command works as. */
export type Identity = {
  readonly account: string;
  /** Whether the account must exist: a mistyped one must not begin to. */
  readonly isKnown?: boolean;
  readonly name: string;
  /** Where given, only the application with this id is used. */
  readonly id?: string | undefined;
  /** The scopes that it needs. */
  readonly scopes: readonly ('read' | 'write' | 'audit')[];
};

const secretsMax = 2;

export const applicationsOf = async (operator: Operator): Promise<readonly ApplicationEntry[]> =>
  (await operator.request('GET /operator/applications')).applications;

/** Returns a new secret of the command's own application, and creates the application where it does not exist. If the application already
 * has as many secrets as it may have, the oldest is dropped: a killed command may have left it.
 * @throws CommandFailed where the application exists and lacks a scope, where it has an id and does not exist, or where the account does not
 * exist, but must */
export const ownCredentials = async (operator: Operator, { isKnown = false, id, ...identity }: Identity): Promise<Credentials> => {
  const all = await applicationsOf(operator);
  const known = all.find((application) => (id === undefined ? isOwn(application, identity) : isPresent(application, id)));
  if (known === undefined && id !== undefined)
    throw new CommandFailed('refused', `The application ${id}, as which an earlier run worked, is deleted.`);
  if (known === undefined && isKnown && !all.some(({ account }) => account === stored(identity.account)))
    throw new CommandFailed('refused', `There is no account ${identity.account}.`);
  if (known === undefined) return operator.request('POST /operator/applications', { body: identity });
  requireScopes(known, identity);
  const [oldest] = known.secret_ids;
  if (oldest !== undefined && known.secret_ids.length >= secretsMax) {
    await dropSecret(operator, { client_id: known.client_id, secret_id: oldest });
  }
  return operator.request('POST /operator/applications/:id/rotate', { parameters: { id: known.client_id } });
};

/** The application of a command while it runs. It stays the same, whatever applications have the same name. */
export type OwnApplication = {
  /** Returns its id, and creates the application where it does not exist. */
  readonly id: () => Promise<string>;
  /** Returns new credentials, and drops the secret of the ones before. */
  readonly credentials: () => Promise<Credentials>;
  /** Drops the secret. The application is kept. */
  readonly leave: () => Promise<void>;
};

export const asOwnApplication = (operator: Operator, identity: Identity): OwnApplication => {
  let current: Credentials | undefined;
  let isUnused = false;
  let { id } = identity;
  const leave = async (): Promise<void> => {
    if (current !== undefined) await dropSecret(operator, current).catch(() => undefined);
    current = undefined;
  };
  const renewed = async (): Promise<Credentials> => {
    await leave();
    current = await ownCredentials(operator, { ...identity, id });
    ({ client_id: id } = current);
    return current;
  };
  return {
    id: async () => {
      isUnused ||= current === undefined;
      return (current ?? (await renewed())).client_id;
    },
    credentials: async () => {
      const first = isUnused ? current : undefined;
      isUnused = false;
      return first ?? renewed();
    },
    leave,
  };
};

const requireScopes = ({ client_id, scopes }: ApplicationEntry, { account, name, scopes: needed }: Identity): void => {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw new CommandFailed(
    'refused',
    `The application "${name}" of the account ${account} (${client_id}) lacks the scope ${missing.join(', ')}. \`waymark app scopes\` grants it.`,
  );
};

const isPresent = ({ client_id, status }: ApplicationEntry, id: string): boolean => client_id === id && status !== 'deleted';

const isOwn = (listed: ApplicationEntry, { account, name }: Identity): boolean =>
  listed.status !== 'deleted' && listed.name === name && listed.account === stored(account);

/** Returns the name of an account as the installation keeps it. */
const stored = (account: string): string => account.normalize('NFC').trim();

/** Drops a secret. The secret, and the tokens that were issued for it, can no longer be used. */
export const dropSecret = async (operator: Operator, { client_id, secret_id }: Omit<Credentials, 'client_secret'>): Promise<void> => {
  await operator.request('DELETE /operator/applications/:id/secrets/:secret', { parameters: { id: client_id, secret: secret_id } });
};

export const deleteApplication = async (operator: Operator, { client_id }: Credentials): Promise<void> => {
  await operator.request('DELETE /operator/applications/:id', { parameters: { id: client_id } });
};
