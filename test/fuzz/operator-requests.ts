import type { Answer, Call } from '../api/client.ts';
import type { Random } from '../crash/random.ts';
import { contentType, oddHeaders } from './headers.ts';
import { mutated, mutatedText } from './mutations.ts';
import { oddIds, oddText } from './odd.ts';

/** An application as the operator's list shows it. */
export type Registered = {
  readonly client_id: string;
  readonly name: string;
  readonly status: string;
  readonly secret_ids: readonly string[];
};

/** The expected applications of one sender, according to the responses it received. */
export type Registry = Map<string, Registered>;

/** A method and a path of the operator API. `:id` and `:secret` stand for ids. */
export type OperatorRoute = { readonly method: 'GET' | 'POST' | 'DELETE'; readonly path: string };

export type OperatorContext = {
  readonly token: string;
  /** The directories that a backup request may name. A backup cannot be written to any of them. */
  readonly directories: readonly string[];
};

const idIn = (registry: Registry, random: Random): string =>
  random.chance(0.7) ? (random.pick([...registry.keys()].slice(-5)) ?? 'none') : (random.pick(oddIds) ?? '0');

const secretIn = (registry: Registry, id: string, random: Random): string =>
  random.chance(0.7) ? (random.pick(registry.get(id)?.secret_ids ?? []) ?? 'none') : (random.pick(oddIds) ?? '0');

const aboutHistory = /^\/operator\/(history|diff|blame|activity)$/;

/** Asks for the history of the account of the first start, of one of the fuzz's accounts, or of none. */
const historyBody = (random: Random): object => ({
  account: random.chance(0.5) ? 'demo' : `account ${random.below(40)}`,
  kind: random.pick(['pinpoint', 'list', 'category', 'event', 'happening', 'application']),
  id: random.chance(0.5) ? random.below(50) : random.pick(oddIds),
  from: random.below(3),
  to: random.below(3),
  ...(random.chance(0.3) ? { before: random.below(1e6), beyond: random.below(50), limit: random.below(501) } : {}),
});

const bodyFor = (path: string, { directories }: OperatorContext, random: Random): unknown => {
  if (path === '/operator/backup') return { directory: random.pick(directories) };
  if (aboutHistory.test(path)) return historyBody(random);
  const wanted = ['read', 'write', 'audit'].filter(() => random.chance(0.6));
  return {
    account: `account ${random.below(40)}`,
    name: random.chance(0.5) ? oddText(random) : `name ${random.below(1e6)}`,
    scopes: wanted,
  };
};

const hasBody = (path: string): boolean =>
  path === '/operator/backup' || path === '/operator/applications' || path.endsWith('/scopes') || aboutHistory.test(path);

/** Returns a body that may be wrong anywhere, but never names a directory outside the list. */
const aBody = (path: string, context: OperatorContext, random: Random): string | Buffer => {
  const body = bodyFor(path, context, random);
  const changed = random.chance(0.5) ? mutated(body, random) : body;
  const text = JSON.stringify(changed) ?? 'null';
  if (path === '/operator/backup' && !isHarmless(changed, context)) return JSON.stringify(body);
  return random.chance(0.15) && path !== '/operator/backup' ? mutatedText(text, random) : text;
};

const isHarmless = (body: unknown, { directories }: OperatorContext): boolean => {
  const directory = (body as { directory?: unknown } | null)?.directory;
  return typeof directory !== 'string' || directories.includes(directory);
};

/** Returns the operator's own token, or invalid credentials. Slow operations rarely get the valid token. */
const credentials = ({ path }: OperatorRoute, token: string, random: Random): Readonly<Record<string, string>> => {
  const isLong = /rebuild|verify|prune/.test(path);
  if (random.chance(isLong ? 0.02 : 0.85)) return { Authorization: `Bearer ${token}` };
  const wrong = random.pick(['', 'Bearer', 'Bearer x', `Basic ${token}`, `bearer  ${token}x`, `Bearer ${token.slice(1)}`]);
  return random.chance(0.2) || wrong === undefined ? {} : { Authorization: wrong };
};

export const operatorRequest = (route: OperatorRoute, registry: Registry, context: OperatorContext, random: Random): Call => {
  const id = idIn(registry, random);
  const isBodied = hasBody(route.path) ? route.method === 'POST' : random.chance(0.1);
  return {
    method: route.method === 'GET' && random.chance(0.2) ? 'HEAD' : route.method,
    path: `${route.path.replace(':id', id).replace(':secret', secretIn(registry, id, random))}${random.chance(0.05) ? '?x=%zz&a[b]=c' : ''}`,
    headers: {
      ...credentials(route, context.token, random),
      ...(isBodied ? contentType('application/json', random) : {}),
      ...oddHeaders(random),
    },
    body: isBodied ? aBody(route.path, context, random) : undefined,
  };
};

const place = /^\/operator\/applications(?:\/([^/?]+)(?:\/([^/?]+)(?:\/([^/?]+))?)?)?/;

/** Records the change of an acknowledged request. */
export const note = (registry: Registry, call: Call, { status, body }: Answer): void => {
  const [isKnown, id = '', what, secret] = place.exec(call.path) ?? [];
  if (isKnown === undefined || status >= 300) return;
  if (status === 201) {
    const { client_id, name, secret_id } = body as { client_id: string; name: string; secret_id: string };
    registry.set(client_id, { client_id, name, status: 'active', secret_ids: [secret_id] });
    return;
  }
  const before = registry.get(id);
  if (before === undefined || call.method === 'GET' || call.method === 'HEAD') return;
  const after = changed(before, what, secret, body as { secret_id?: string });
  if (after === undefined) registry.delete(id);
  else registry.set(id, after);
};

const changed = (
  before: Registered,
  what: string | undefined,
  secret: string | undefined,
  response: { secret_id?: string },
): Registered | undefined => {
  switch (what) {
    case 'suspend':
      return { ...before, status: 'suspended' };
    case 'resume':
      return { ...before, status: 'active' };
    case 'scopes':
      return before;
    case 'rotate':
      return { ...before, secret_ids: [...before.secret_ids, response.secret_id ?? ''] };
    case 'secrets':
      return { ...before, secret_ids: before.secret_ids.filter((id) => id !== secret) };
    default:
      return undefined;
  }
};
