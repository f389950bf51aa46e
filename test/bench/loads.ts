import type { Reached } from './client.ts';
import { limits } from './limits.ts';
import type { Load } from './load.ts';
import { pinpointParts } from './pinpoint.ts';

const { connections } = limits;

export const creates = ({ base, token }: Reached): Load => ({
  base,
  token,
  connections,
  method: 'POST',
  status: 201,
  paths: ['/v3.0/pinpoints'],
  parts: pinpointParts,
});

export const updates = ({ base, token }: Reached, ids: readonly number[]): Load => ({
  base,
  token,
  connections,
  method: 'PUT',
  status: 200,
  paths: pathsOf(ids),
  parts: pinpointParts,
});

export const gets = ({ base, token }: Reached, ids: readonly number[]): Load => ({
  base,
  token,
  connections,
  method: 'GET',
  status: 200,
  paths: pathsOf(ids),
});

/** Pages of 20. */
export const pages = ({ base, token }: Reached, paths: readonly string[]): Load => ({
  base,
  token,
  connections,
  method: 'GET',
  status: 200,
  paths,
  results: limits.pageSize,
});

const pathsOf = (ids: readonly number[]): readonly string[] =>
  ids.length <= limits.drawnPaths ? ids.map(pathOf) : Array.from({ length: limits.drawnPaths }, () => pathOf(draw(ids)));

const pathOf = (id: number): string => `/v3.0/pinpoints/${id}`;
const draw = (ids: readonly number[]): number => ids[Math.floor(Math.random() * ids.length)] ?? 0;
