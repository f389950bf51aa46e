import { type Registry, RegistryRefusal } from '@waymark/access/registry.ts';
import { type Scope, scopes } from '@waymark/domain/application/events.ts';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import type { Answer } from '@waymark/http/call.ts';
import { badRequest, conflict, notFound } from '@waymark/http/errors.ts';
import { type Health, healthRoutes, json, requireOperator } from '@waymark/http/operator/routes.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { operatorBody } from '@waymark/http/request/request-body.ts';
import { text } from './text.ts';

export type OperatorApiOptions = Health & {
  /** The operator tokens. Each of them is accepted. */
  readonly tokens: readonly string[];
  /** The routes below `/operator`. */
  readonly operations: readonly OpenRoute[];
};

/** Returns the routes for operators and monitoring. Every route below `/operator` needs the operator token. */
export const operatorRoutes = (options: OperatorApiOptions): readonly OpenRoute[] => [
  ...healthRoutes(options),
  ...options.operations.map((route) => requireOperator(options.tokens, route)),
];

/** Returns the routes for applications. The caller has to protect each of them. */
export const applicationRoutes = (registry: Registry): readonly OpenRoute[] => {
  const path = '/operator/applications';
  const one = `${path}/:id`;
  const id = ({ parameters }: OpenCall): string => parameters['id'] ?? '';
  const done = async (change: Promise<void>): Promise<Answer> => {
    await change;
    return json(200, {});
  };
  const routes: readonly OpenRoute[] = [
    { method: 'GET', path, handle: async () => json(200, { applications: (await registry.list()).map(described) }) },
    { method: 'POST', path, handle: async (call) => register(registry, (await readJson(call, operatorBody)).json) },
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
  return routes.map(explained);
};

/** Maps refusals to HTTP errors. */
const explained = (route: OpenRoute): OpenRoute => ({
  ...route,
  handle: async (call) => {
    try {
      return await route.handle(call);
    } catch (error) {
      throw problemOf(error);
    }
  },
});

const problemOf = (error: unknown): unknown => {
  if (!(error instanceof RegistryRefusal)) return error;
  return error.refusal === 'not-found' || error.refusal === 'unknown-secret' ? notFound() : conflict(refusals[error.refusal]);
};

const refusals = {
  'id-taken': 'Another application has got this id meanwhile.',
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

const described = ({ secrets, ...application }: Awaited<ReturnType<Registry['list']>>[number]) => ({
  client_id: application.id,
  account: application.accountName,
  name: application.name,
  status: application.status,
  scopes: application.scopes,
  secret_ids: secrets.map(({ id }) => id),
});
