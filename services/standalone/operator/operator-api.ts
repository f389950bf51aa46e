import type { OpenRoute } from '@waymark/http/app.ts';
import { badRequest } from '@waymark/http/errors.ts';
import { json } from '@waymark/http/operator/routes.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { operatorBody } from '@waymark/http/request/request-body.ts';
import { parseEraseRequest } from '@waymark/operations/erase-object.ts';
import { text } from '@waymark/operations/text.ts';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { BackupRefused } from '../backup/manifest.ts';
import type { Operations } from './operations.ts';

/** Returns the routes of the operations on a standalone installation. */
export const operationRoutes = (operations: Operations): readonly OpenRoute[] => [
  { method: 'GET', path: '/operator/status', handle: async () => json(200, await operations.status()) },
  { method: 'POST', path: '/operator/rebuild', handle: async () => json(200, await operations.rebuild()) },
  { method: 'POST', path: '/operator/verify', handle: async () => json(200, await operations.verify()) },
  { method: 'POST', path: '/operator/media/prune', handle: async () => json(200, await operations.pruneMedia()) },
  {
    method: 'POST',
    path: '/operator/forget',
    handle: async (call) => json(200, await operations.erase(parseEraseRequest((await readJson(call, operatorBody)).json))),
  },
  { method: 'POST', path: '/operator/renew', handle: async () => json(200, await operations.renew()) },
  { method: 'DELETE', path: '/operator/first-application', handle: async () => json(200, operations.forgetFirst()) },
  {
    method: 'POST',
    path: '/operator/export',
    handle: async (call) => exportInto(operations, (await readJson(call, operatorBody)).json),
  },
  {
    method: 'POST',
    path: '/operator/writes',
    handle: async (call) => setWrites(operations, (await readJson(call, operatorBody)).json),
  },
  {
    method: 'POST',
    path: '/operator/backup',
    handle: async (call) => backUp(operations, text((await readJson(call, operatorBody)).json, 'directory', pathCharactersMax)),
  },
];

const pathCharactersMax = 4_096;

const backUp = async (operations: Operations, directory: string) => {
  try {
    return json(200, await operations.backUp(directory));
  } catch (error) {
    throw error instanceof BackupRefused ? badRequest(error.message) : error;
  }
};

const exportInto = async (operations: Operations, body: unknown) => {
  const directory = text(body, 'directory', pathCharactersMax);
  const final = (body as { readonly final?: unknown }).final === true;
  try {
    return json(200, await operations.export(directory, final));
  } catch (error) {
    throw error instanceof ExportRefused || error instanceof BackupRefused ? badRequest(error.message) : error;
  }
};

const setWrites = async (operations: Operations, body: unknown) => {
  const open = (body as { readonly open?: unknown } | null)?.open;
  if (typeof open !== 'boolean') throw badRequest('open: true or false is required');
  await operations.setWrites(open);
  return json(200, { writes: open ? 'open' : 'closed' });
};
