import type { OpenRoute } from '@waymark/http/app.ts';
import { badRequest } from '@waymark/http/errors.ts';
import { personOf } from '@waymark/operations/api/person.ts';
import { operatorRoute } from '@waymark/operations/api/route.ts';
import { closableOrders } from '@waymark/operations/write-gate.ts';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { BackupRefused } from '../backup/manifest.ts';
import type { InstallationWriteGate } from '../write-gate.ts';
import type { Operations } from './operations.ts';

/** Returns the routes of the operations on a standalone installation. */
export const operationRoutes = (operations: Operations, writes: InstallationWriteGate): readonly OpenRoute[] => [
  operatorRoute('GET /operator/status', operations.status),
  operatorRoute('POST /operator/rebuild', operations.rebuild),
  operatorRoute('POST /operator/verify', operations.verify),
  operatorRoute('POST /operator/media/prune', operations.pruneMedia),
  ...closableOrders(writes, [
    operatorRoute('POST /operator/forget', (order, call) => operations.erase(order, personOf(call))),
    operatorRoute('POST /operator/hold', (order, call) => operations.setHold(true, order, personOf(call))),
    operatorRoute('POST /operator/release', (order, call) => operations.setHold(false, order, personOf(call))),
  ]),
  operatorRoute('POST /operator/renew', operations.renew),
  operatorRoute('DELETE /operator/first-application', async () => operations.forgetFirst()),
  operatorRoute('POST /operator/export', ({ directory, final }) => operations.export(directory, final === true).catch(refused)),
  operatorRoute('POST /operator/writes', async ({ open }) => {
    await operations.setWrites(open);
    return { writes: open ? 'open' : 'closed' };
  }),
  operatorRoute('POST /operator/backup', ({ directory }) => operations.backUp(directory).catch(refused)),
];

const refused = (error: unknown): never => {
  throw error instanceof ExportRefused || error instanceof BackupRefused ? badRequest(error.message) : error;
};
