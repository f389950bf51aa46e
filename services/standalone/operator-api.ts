import { timingSafeEqual } from 'node:crypto';
import { type Registry, RegistryRefusal } from '@waymark/auth/app.ts';
import { type Scope, scopes } from '@waymark/domain/application/events.ts';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import { tokenHash } from '@waymark/http/bearer.ts';
import { readJson } from '@waymark/http/body.ts';
import type { Answer } from '@waymark/http/call.ts';
import { badRequest, conflict, notAuthenticated, notFound } from '@waymark/http/problems.ts';
import { BackupRefused } from './backup.ts';
import type { Operations } from './operations.ts';

export type OperatorApiOptions = {
  readonly token: string;
  readonly registry: Registry;
  readonly operations: Operations;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
};

/** What an operator and the machines that watch may ask. Everything below `/operator` needs the operator's token. */
export const operatorRoutes = (options: OperatorApiOptions): readonly OpenRoute[] => [
  { method: 'GET', path: '/livez', handle: async () => json(200, { status: 'alive' }) },
  { method: 'GET', path: '/readyz', handle: async () => readiness(options.operations) },
  { method: 'GET', path: '/metrics', handle: async () => scrape(options) },
  ...applicationRoutes(options),
  ...operationRoutes(options),
];

const readiness = (operations: Operations): Answer => {
  const missing = operations.notReady();
  return missing.length === 0 ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', missing });
};

const scrape = async ({ metrics }: OperatorApiOptions): Promise<Answer> => ({
  status: 200,
  body: await metrics.text(),
  headers: { 'Content-Type': metrics.contentType },
});

const applicationRoutes = ({ token, registry }: OperatorApiOptions): readonly OpenRoute[] => {
  const path = '/operator/applications';
  const one = `${path}/:id`;
  const id = ({ parameters }: OpenCall): string => parameters['id'] ?? '';
  const done = async (change: Promise<void>): Promise<Answer> => {
    await change;
    return json(200, {});
  };
  const routes: readonly OpenRoute[] = [
    { method: 'GET', path, handle: async () => json(200, { applications: (await registry.list()).map(described) }) },
    { method: 'POST', path, handle: async ({ request }) => register(registry, (await readJson(request)).json) },
    { method: 'DELETE', path: one, handle: (call) => done(registry.remove(id(call))) },
    { method: 'POST', path: `${one}/rotate`, handle: async (call) => json(200, await registry.rotate(id(call))) },
    { method: 'POST', path: `${one}/suspend`, handle: (call) => done(registry.suspend(id(call))) },
    { method: 'POST', path: `${one}/resume`, handle: (call) => done(registry.resume(id(call))) },
    {
      method: 'DELETE',
      path: `${one}/secrets/:secret`,
      handle: (call) => done(registry.dropSecret(id(call), call.parameters['secret'] ?? '')),
    },
  ];
  return routes.map((route) => guarded(token, route));
};

const operationRoutes = ({ token, operations }: OperatorApiOptions): readonly OpenRoute[] => {
  const routes: readonly OpenRoute[] = [
    { method: 'GET', path: '/operator/status', handle: async () => json(200, await operations.status()) },
    { method: 'POST', path: '/operator/rebuild', handle: async () => json(200, await operations.rebuild()) },
    { method: 'POST', path: '/operator/verify', handle: async () => json(200, await operations.verify()) },
    { method: 'POST', path: '/operator/media/prune', handle: async () => json(200, await operations.pruneMedia()) },
    {
      method: 'POST',
      path: '/operator/backup',
      handle: async ({ request }) =>
        json(200, await operations.backUp(text((await readJson(request)).json, 'directory', pathCharactersMax))),
    },
  ];
  return routes.map((route) => guarded(token, route));
};

/** Lets in who has the operator's token, and gives refusals their status. */
const guarded = (token: string, route: OpenRoute): OpenRoute => {
  const expected = Buffer.from(tokenHash(token));
  return {
    ...route,
    handle: async (call) => {
      const given = /^Bearer (.+)$/.exec(call.request.headers.authorization ?? '')?.[1] ?? '';
      if (!timingSafeEqual(Buffer.from(tokenHash(given)), expected)) throw notAuthenticated();
      try {
        return await route.handle(call);
      } catch (error) {
        throw problemOf(error);
      }
    },
  };
};

const problemOf = (error: unknown): unknown => {
  if (error instanceof BackupRefused) return badRequest(error.message);
  if (!(error instanceof RegistryRefusal)) return error;
  return error.refusal === 'not-found' || error.refusal === 'unknown-secret' ? notFound() : conflict(refusals[error.refusal]);
};

const refusals = {
  'id-taken': 'The id was taken meanwhile.',
  'two-secrets': 'An application has at most two secrets: drop one first.',
};

const register = async (registry: Registry, body: unknown): Promise<Answer> => {
  const account = text(body, 'account');
  const name = text(body, 'name');
  const wanted = (body as { scopes?: unknown }).scopes ?? ['write', 'read'];
  if (!isScopes(wanted)) throw badRequest(`scopes: a list of ${scopes.join(', ')}`);
  const ordered = scopes.filter((scope) => wanted.includes(scope));
  return json(201, { ...(await registry.register(account, name, ordered)), account, name, scopes: ordered });
};

const isScopes = (value: unknown): value is readonly Scope[] =>
  Array.isArray(value) && value.length > 0 && value.every((scope) => scopes.includes(scope));

const charactersMax = 255;
const pathCharactersMax = 4_096;

/** A text of the body, in NFC and trimmed. */
const text = (body: unknown, name: string, most = charactersMax): string => {
  const value = (body as Record<string, unknown> | null)?.[name];
  const normal = typeof value === 'string' && value.isWellFormed() ? value.normalize('NFC').trim() : '';
  if (normal === '' || normal.length > most || normal.includes('\0')) {
    throw badRequest(`${name}: a text of 1 to ${most} characters is required`);
  }
  return normal;
};

const described = ({ secrets, ...application }: Awaited<ReturnType<Registry['list']>>[number]) => ({
  client_id: application.id,
  account: application.accountName,
  name: application.name,
  status: application.status,
  scopes: application.scopes,
  secret_ids: secrets.map(({ id }) => id),
});

const json = (status: number, body: object): Answer => ({ status, body: JSON.stringify(body) });
