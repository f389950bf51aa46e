import type { OpenRoute } from '@waymark/http/app.ts';
import { readJson } from '@waymark/http/body.ts';
import { json } from '@waymark/http/operators.ts';
import { badRequest, conflict, unavailable } from '@waymark/http/problems.ts';
import { operatorBody } from '@waymark/http/request-body.ts';
import type { OwnKeys } from '@waymark/process/identity.ts';

/** Has the installation accept what its processes refuse to work with. */
export const adoptRoute = (keys: Pick<OwnKeys, 'adopt'>): OpenRoute => ({
  method: 'POST',
  path: '/operator/adopt',
  handle: async (call) => {
    const order = (await readJson(call, operatorBody)).json as { readonly signing_key?: unknown } | null;
    if (order?.signing_key !== true) throw badRequest('signing_key: true is required');
    const refusal = await keys.adopt();
    if (refusal !== undefined) throw conflict(refusal);
    return json(200, { signing_key: 'accepted' });
  },
});

/** Routes that change nothing while the signing keys are refused: without keys, what Redis and Kafka hold is not believed. */
export const onceAccepted = ({ refused }: Pick<OwnKeys, 'refused'>, routes: readonly OpenRoute[]): readonly OpenRoute[] =>
  routes.map((route) => ({
    ...route,
    handle: async (call) => {
      const refusal = refused();
      if (refusal !== undefined && route.method !== 'GET') throw unavailable(refusal);
      return route.handle(call);
    },
  }));
