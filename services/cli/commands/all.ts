import type { AddCommand } from '../program.ts';
import { addActivity } from './activity.ts';
import { addAdopt } from './adopt.ts';
import { addApp } from './app.ts';
import { addAudit } from './audit.ts';
import { addCluster } from './cluster.ts';
import { addExportAndWrites } from './export.ts';
import { addHistory } from './history.ts';
import { addImport } from './import.ts';
import { addKeys } from './keys.ts';
import { addLoad } from './load.ts';
import { addNotary } from './notary.ts';
import { addOperations } from './operations.ts';
import { addOrders } from './orders.ts';
import { addRenew } from './renew.ts';
import { addRestore } from './restore.ts';
import { addSeed } from './seed.ts';
import { addServices } from './services.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addUndo } from './undo.ts';

/** All commands, in the order of `waymark --help`. */
export const allCommands: readonly AddCommand[] = [
  addStart,
  addCluster,
  addStatus,
  addApp,
  addSeed,
  addLoad,
  addHistory,
  addActivity,
  addUndo,
  addAudit,
  addNotary,
  addOperations,
  addOrders,
  addRestore,
  addRenew,
  addAdopt,
  addExportAndWrites,
  addImport,
  addKeys,
  addServices,
];
