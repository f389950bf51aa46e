import type { OwnKeys } from '@waymark/cluster-runtime/identity.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import { badRequest, conflict, unavailable } from '@waymark/http/errors.ts';
import { operatorRoute } from '@waymark/operations/api/route.ts';
import { createOneAtATime } from '@waymark/operations/one-at-a-time.ts';
import { adoptInsteadOf, type InsteadOfOptions } from './instead-of.ts';

/** Returns the route by which the installation accepts what its processes refuse to work with: its signing keys, or the data of another
 * installation on the engines. */
export const adoptRoute = (keys: Pick<OwnKeys, 'adopt' | 'refused'>, others: InsteadOfOptions): OpenRoute => {
  const oneAtATime = createOneAtATime();
  return operatorRoute('POST /operator/adopt', async ({ signing_key, instead_of }) => {
    if (instead_of !== undefined && signing_key === undefined) {
      insistOn(keys);
      return oneAtATime(() => adoptInsteadOf(others, instead_of));
    }
    if (signing_key === undefined || instead_of !== undefined) throw badRequest('signing_key: true or instead_of is required');
    const refusal = await keys.adopt();
    if (refusal !== undefined) throw conflict(refusal);
    return { signing_key: 'accepted' };
  });
};

/** Returns the routes with a check: they change nothing while the signing keys are refused. Without accepted keys, values in Redis and
 * Kafka cannot be trusted. */
export const refusedUntilAccepted = (keys: Pick<OwnKeys, 'refused'>, routes: readonly OpenRoute[]): readonly OpenRoute[] =>
  routes.map((route) => ({
    ...route,
    handle: async (call) => {
      if (route.method !== 'GET') insistOn(keys);
      return route.handle(call);
    },
  }));

const insistOn = ({ refused }: Pick<OwnKeys, 'refused'>): void => {
  const refusal = refused();
  if (refusal !== undefined) throw unavailable(refusal);
};
