import type { RequestListener } from 'node:http';
import { createApplications } from '@waymark/access/applications.ts';
import { createRegistry, type Registry } from '@waymark/access/registry.ts';
import { createOpenApp, type OpenRoute } from '@waymark/http/app.ts';
import { createOperatorAccess } from '@waymark/http/operator/access.ts';
import { healthRoutes, requireOperator } from '@waymark/http/operator/routes.ts';
import { createBudgets, createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import type { RequestLifecycleOptions } from '@waymark/http/request-lifecycle.ts';
import { type ClientAddresses, createClientAddresses } from '@waymark/http/server/addresses.ts';
import { type Listening, listen } from '@waymark/http/server/server.ts';
import { applicationRoutes } from '@waymark/operations/application-routes.ts';
import { type ExpiredBefore, housekeeping } from '@waymark/operations/housekeeping.ts';
import { closableOrders } from '@waymark/operations/write-gate.ts';
import { addressesOf, peersOf } from '@waymark/runtime/admission.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import type { RunningOperator } from '@waymark/runtime/operator-file.ts';
import { keysIn, randomKey } from '@waymark/runtime/private-files.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { answersMs } from '@waymark/runtime/stop-times.ts';
import type { Logger } from 'pino';
import { finishRestore } from './backup/restore.ts';
import { type Counters, createSharedCounters, openCounters } from './counters.ts';
import { type DataDirectory, ownDataDirectory } from './data-directory/data-directory.ts';
import { highestIds, renewClosedLog, wasRolledBack } from './data-directory/renewal.ts';
import { keepReserve, useReserve } from './data-directory/reserve.ts';
import { warnOfFirstApplication } from './first-application.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createOperations, type Operations } from './operator/operations.ts';
import { operationRoutes } from './operator/operator-api.ts';
import { createPublicApp } from './public-app.ts';
import { createVisibility } from './read-side/visibility.ts';
import type { Settings } from './settings.ts';
import { type OpenStores, openStores } from './stores.ts';
import { createInstallationWriteGate } from './write-gate.ts';

/** A running installation. */
export type Installation = {
  readonly operator: RunningOperator;
  readonly directory: DataDirectory;
  readonly registry: Registry;
  readonly operations: Operations;
  /** True if the log was empty at the start. */
  readonly isNew: boolean;
  /** Resolves once the server answers reads. */
  readonly complete: Promise<void>;
  /** Makes the server report that it is not ready and keep no connection alive; it continues to answer. */
  readonly drain: () => void;
  /** Finishes the requests in progress, within a time limit, and releases the data directory. */
  readonly close: () => Promise<void>;
};

export type InstallationOptions = {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Called for an error that cannot be repaired while the process runs: the process must end. */
  readonly onFatal: (error: Error) => void;
};

const opsShutdownMs = 500;

/** Starts the whole product in this process, on one data directory.
 * @throws DirectoryInUse, DirectoryRefused, and the error of listening if an address is in use */
export const startInstallation = async (options: InstallationOptions): Promise<Installation> => {
  const directory = ownDataDirectory(options.settings.WAYMARK_DATA_DIR, (warning) => options.logger.warn(warning));
  try {
    return await startWithRoom(directory, options);
  } catch (error) {
    directory.release();
    throw error;
  }
};

const startWithRoom = async (directory: DataDirectory, options: InstallationOptions): Promise<Installation> => {
  const release = useReserve(directory);
  if (release) options.logger.error('the disk is full: the server starts for reads, and accepts writes once there is space');
  try {
    await repair(directory, options.logger);
    return await startIn(directory, options);
  } finally {
    release?.();
  }
};

/** Completes work that a crash has interrupted, and detects a log that was rolled back by hand. */
const repair = async (directory: DataDirectory, logger: Logger): Promise<void> => {
  await finishRestore(directory);
  warnOfFirstApplication(directory, logger);
  if (!(await wasRolledBack(directory))) return;
  logger.warn(
    'the log is not the one that the read models were built from: it gets a new incarnation, ids are skipped, tokens are deleted',
  );
  await renewClosedLog(directory.log, directory.tokens, highestIds(directory));
};

const startIn = async (directory: DataDirectory, options: InstallationOptions): Promise<Installation> => {
  const { settings, logger, onFatal } = options;
  const stores = await openStores({ directory, memoryBytes: memoryBytesOf(settings), logger, onFatal });
  void stores.complete.then(
    () => keepReserve(directory, false),
    () => undefined,
  );
  try {
    return await serve(directory, stores, settings, logger);
  } catch (error) {
    await stores.close();
    throw error;
  }
};

const serve = async (directory: DataDirectory, stores: OpenStores, settings: Settings, logger: Logger): Promise<Installation> => {
  const { readSide, tokens, media } = stores;
  const metrics = createMetrics(stores.log, logger);
  const writes = createInstallationWriteGate(directory.writesClosed);
  const log = writes.gated(metrics.timed(stores.log));
  const { incarnation, head } = await log.state();
  const memoryBytes = memoryBytesOf(settings);
  const reached = createVisibility(stores.log.followed, stores.log.onFollowed, settings.WAYMARK_READ_WAIT_MS);
  const applications = createApplications(log, { memoryBytes });
  const adapters = { log, models: readSide.models, applications, visible: (_account: string, position: number) => reached(position) };
  let closing = false;
  const lifecycle = { observe: metrics.observe, noteFailure: metrics.noteFailure, logger, closing: () => closing };

  const addresses = addressesOf(settings, logger);
  const counters = openCounters(createSharedCounters(), memoryBytes);
  const api = await listenFirst(settings, addresses, counters);
  const base = (settings.WAYMARK_PUBLIC_URL || api.url).replace(/\/+$/, '');
  const budgets = createBudgets(memoryBytes, counters.amounts);
  const keys = keysIn(directory.keys);
  const app = { ...lifecycle, budgets, ...adapters, addresses, counters, writes, settings, media, tokens, keys, base };
  const answerAs = (name: string): void => api.answer(createPublicApp({ ...app, incarnation: name }));
  answerAs(incarnation);

  const registry = createRegistry(adapters);
  const operations = createOperations({ ...stores, directory, memoryBytes, writes, api: api.url, closing: lifecycle.closing, answerAs });
  const operator = { token: settings.WAYMARK_OPS_TOKEN || randomKey(), api: api.url, pid: process.pid };
  const orders = [...closableOrders(writes, applicationRoutes(registry)), ...operationRoutes(operations)];
  const routes = [
    ...healthRoutes({ notReady: operations.notReady, warnings: operations.warnings, metrics }),
    ...orders.map((route) => requireOperator([operator.token], route)),
  ];
  const ops = await listenToOperators(settings, operator.token, lifecycle, routes);
  const stopHousekeeping = housekeeping((expired) => removeExpired(stores, expired), logger);

  const drain = (): void => {
    closing = true;
  };
  const close = async (): Promise<void> => {
    drain();
    stopHousekeeping();
    // The operator port closes last: until then it reports that this server is no longer ready.
    await api.close(answersMs(settings));
    await ops.close(opsShutdownMs);
    await stores.close();
    keepReserve(directory, true);
    directory.release();
  };
  return {
    operator: { url: ops.url, ...operator },
    directory,
    registry,
    operations,
    isNew: head === 0 && !writes.closed(),
    complete: stores.complete,
    drain,
    close,
  };
};

const removeExpired = async ({ log, tokens }: OpenStores, { beforeMs }: ExpiredBefore): Promise<object> => ({
  claims: await log.prune(new Date(beforeMs).toISOString()),
  tokens: await tokens.expire(Date.now()),
});

type OperatorLifecycle = Pick<RequestLifecycleOptions, 'observe' | 'logger' | 'closing'> & Pick<Metrics, 'noteFailure'>;

const listenToOperators = (
  settings: Settings,
  token: string,
  { noteFailure, ...lifecycle }: OperatorLifecycle,
  routes: readonly OpenRoute[],
): Promise<Listening> => {
  const access = createOperatorAccess({
    tokens: [token],
    names: [settings.WAYMARK_OPS_HOST, ...splitList(settings.WAYMARK_OPS_NAMES)],
    addresses: createClientAddresses({ trusted: [] }),
    note: noteFailure,
  });
  const app = createOpenApp({ ...lifecycle, access, corsOrigins: new Set(), budgets: createOperatorBudgets() }, routes);
  // Operations may take long, and only operators wait for their responses.
  return listen(app, settings.WAYMARK_OPS_HOST, settings.WAYMARK_OPS_PORT, { idleMs: 0 });
};

/** Listens before the application exists, because its responses contain the address. */
const listenFirst = async (
  settings: Settings,
  addresses: ClientAddresses,
  { amounts }: Counters,
): Promise<Listening & { readonly answer: (listener: RequestListener) => void }> => {
  let answer: RequestListener | undefined;
  const listening = await listen((request, response) => answer?.(request, response), settings.WAYMARK_HOST, settings.WAYMARK_PORT, {
    peers: peersOf(settings, addresses, amounts),
    connections: amounts.totals.connections,
  });
  return {
    ...listening,
    answer: (listener) => {
      answer = listener;
    },
  };
};
