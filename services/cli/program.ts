import { release } from '@waymark/domain/release.ts';
import { Command } from 'commander';
import { addActivity } from './commands/activity.ts';
import { addAdopt } from './commands/adopt.ts';
import { addApp } from './commands/app.ts';
import { addAudit } from './commands/audit.ts';
import { addCluster } from './commands/cluster.ts';
import { addExportAndWrites } from './commands/export.ts';
import { addHistory } from './commands/history.ts';
import { addImport } from './commands/import.ts';
import { addKeys } from './commands/keys.ts';
import { addLoad } from './commands/load.ts';
import { addNotary } from './commands/notary.ts';
import { addOperations } from './commands/operations.ts';
import { addOrders } from './commands/orders.ts';
import { addRenew } from './commands/renew.ts';
import { addRestore } from './commands/restore.ts';
import { addSeed } from './commands/seed.ts';
import { addServices } from './commands/services.ts';
import { addStart } from './commands/start.ts';
import { addStatus } from './commands/status.ts';
import { addUndo } from './commands/undo.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { fields } from './terminal/output.ts';

/** Creates the program `waymark` with all its commands. */
export const commandLine = (): Command => {
  const program = new Command('waymark')
    .description('A content service for maps: pinpoints, lists, categories and events over REST, every edit kept for good.')
    .version(release)
    .showHelpAfterError('(see --help)')
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', details)
    .exitOverride();
  for (const add of [
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
  ])
    add(program);
  return program;
};

const details = `
A command works on the installation in WAYMARK_DATA_DIR (waymark-data by default),
whether or not its server runs, or on the one whose operator API is at
WAYMARK_OPS_URL, with WAYMARK_OPS_TOKEN or WAYMARK_OPS_TOKEN_FILE.

Exit codes:
${fields(Object.values(exitCodes).map(({ code, meaning }) => [`  ${code}`.padEnd(5), meaning]))}`;
