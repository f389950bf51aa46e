import type { Endpoint } from './client.ts';
import { limits } from './limits.ts';
import type { Load, Target } from './load.ts';
import { pinpointParts } from './pinpoint.ts';

const { connections } = limits;

/** Returns a load of creates.
 * @param tokens each request uses one of them */
export const creates = ({ base, token }: Endpoint, tokens: readonly string[] = [token]): Load => ({
  base,
  connections,
  method: 'POST',
  status: 201,
  targets: tokens.map((one) => ({ path: '/v3.0/pinpoints', token: one })),
  parts: pinpointParts,
});

export const updates = (server: Endpoint, ids: readonly number[]): Load => ({
  base: server.base,
  connections,
  method: 'PUT',
  status: 200,
  targets: targetsOf(server, ids),
  parts: pinpointParts,
});

export const gets = (server: Endpoint, ids: readonly number[]): Load => getsOf(server.base, targetsOf(server, ids));

export const getsOf = (base: string, targets: readonly Target[]): Load => ({ base, connections, method: 'GET', status: 200, targets });

/** Returns a load of pages of 20. */
export const pages = ({ base, token }: Endpoint, paths: readonly string[]): Load => ({
  base,
  connections,
  method: 'GET',
  status: 200,
  targets: paths.map((path) => ({ path, token })),
  results: limits.pageSize,
});

const targetsOf = ({ token }: Endpoint, ids: readonly number[]): readonly Target[] =>
  drawnIds(ids).map((id) => ({ path: pinpointPath(id), token }));

const drawnIds = (ids: readonly number[]): readonly number[] =>
  ids.length <= limits.drawnPaths ? ids : Array.from({ length: limits.drawnPaths }, () => draw(ids));

export const pinpointPath = (id: number): string => `/v3.0/pinpoints/${id}`;
const draw = (ids: readonly number[]): number => ids[Math.floor(Math.random() * ids.length)] ?? 0;
