import { type Registry, RegistryRefusal } from '@waymark/access/registry.ts';
import { type Scope, scopes } from '@waymark/domain/application/events.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import { conflict, notFound } from '@waymark/http/errors.ts';
import type { ApplicationEntry, NewApplication } from './api/answers.ts';
import type { BodyOf } from './api/calls.ts';
import { operatorRoute, parameterOf } from './api/route.ts';

/** Returns the routes for applications. The caller has to protect each of them. */
export const applicationRoutes = (registry: Registry): readonly OpenRoute[] => {
  const done = async (change: Promise<void>): Promise<Record<string, never>> => {
    await change;
    return {};
  };
  const routes: readonly OpenRoute[] = [
    operatorRoute('GET /operator/applications', async () => ({ applications: (await registry.list()).map(described) })),
    operatorRoute('POST /operator/applications', (body) => register(registry, body), 201),
    operatorRoute('DELETE /operator/applications/:id', (_, call) => done(registry.remove(parameterOf(call, 'id')))),
    operatorRoute('POST /operator/applications/:id/rotate', (_, call) => registry.rotate(parameterOf(call, 'id'))),
    operatorRoute('POST /operator/applications/:id/suspend', (_, call) => done(registry.suspend(parameterOf(call, 'id')))),
    operatorRoute('POST /operator/applications/:id/resume', (_, call) => done(registry.resume(parameterOf(call, 'id')))),
    operatorRoute('POST /operator/applications/:id/scopes', ({ scopes: wanted }, call) =>
      changeScopes(registry, parameterOf(call, 'id'), inOrder(wanted)),
    ),
    operatorRoute('DELETE /operator/applications/:id/secrets/:secret', (_, call) =>
      done(registry.dropSecret(parameterOf(call, 'id'), parameterOf(call, 'secret'))),
    ),
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

const register = async (registry: Registry, body: BodyOf<'POST /operator/applications'>): Promise<NewApplication> => {
  const { account, name, scopes: wanted } = body;
  const ordered = inOrder(wanted ?? ['write', 'read']);
  return { ...(await registry.register(account, name, ordered)), account, name, scopes: ordered };
};

const changeScopes = async (registry: Registry, client_id: string, ordered: readonly Scope[]) => {
  await registry.changeScopes(client_id, ordered);
  return { client_id, scopes: ordered };
};

const inOrder = (wanted: readonly Scope[]): readonly Scope[] => scopes.filter((scope) => wanted.includes(scope));

const described = ({ secrets, ...application }: Awaited<ReturnType<Registry['list']>>[number]): ApplicationEntry => ({
  client_id: application.id,
  account: application.accountName,
  name: application.name,
  status: application.status,
  scopes: application.scopes,
  secret_ids: secrets.map(({ id }) => id),
});
