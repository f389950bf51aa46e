import { createRefusalRecorder, type RefusalRecorder } from '@waymark/access/refusals/recorder.ts';
import { createRegistry, type Registry } from '@waymark/access/registry.ts';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { evidenceSource, keysOnceStarted } from '@waymark/checkpoints/verification/evidence.ts';
import { runJobs } from '@waymark/commands/app.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import { createOpenApp, type OpenRoute } from '@waymark/http/app.ts';
import { createOperatorAccess } from '@waymark/http/operator/access.ts';
import { healthRoutes, requireOperator } from '@waymark/http/operator/routes.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { storedRequestIds } from '@waymark/http/request-id-hash.ts';
import { createClientAddresses } from '@waymark/http/server/addresses.ts';
import { type Listening, listen } from '@waymark/http/server/server.ts';
import { withPersonLogged } from '@waymark/operations/api/person.ts';
import { applicationRoutes } from '@waymark/operations/application-routes.ts';
import { historyRoutes } from '@waymark/operations/history-routes.ts';
import { type ExpiredBefore, housekeeping, refusalsExpiredBefore } from '@waymark/operations/housekeeping.ts';
import { closableOrders } from '@waymark/operations/write-gate.ts';
import type { RunningOperator } from '@waymark/runtime/operator-file.ts';
import { type Keys, keysIn, randomKey } from '@waymark/runtime/private-files.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { answersMs } from '@waymark/runtime/stop-times.ts';
import { sharedNumber } from '@waymark/threads/shared-number.ts';
import type { Logger } from 'pino';
import { createSharedCounters } from './counters.ts';
import type { DataDirectory } from './data-directory/data-directory.ts';
import { keepReserve } from './data-directory/reserve.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createOperations, type Operations } from './operator/operations.ts';
import { operationRoutes } from './operator/operator-api.ts';
import { openPublicPort } from './public-port.ts';
import { repairReadModels } from './read-side/repair.ts';
import type { Settings } from './settings.ts';
import type { OpenStores } from './stores.ts';
import { type Answering, createAnswering } from './threads/answering.ts';
import type { HttpThreads } from './threads/http-threads.ts';
import type { MemoryPlan } from './threads/plan.ts';
import { createInstallationWriteGate } from './write-gate.ts';

/** A running installation. */
export type Installation = {
  readonly operator: RunningOperator;
  readonly directory: DataDirectory;
  readonly registry: Registry;
  readonly operations: Operations;
  /** The number of threads that answer requests beside the main thread. */
  readonly threads: number;
  /** True if the log was empty at the start. */
  readonly isNew: boolean;
  /** Resolves once all threads of the server answer reads. */
  readonly complete: Promise<void>;
  /** Makes the server report that it is not ready and keep no connection alive; it continues to answer. */
  readonly drain: () => void;
  /** Finishes the requests in progress, within a time limit, and releases the data directory. */
  readonly close: () => Promise<void>;
};

export type InstallationOptions = {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Writes a line of another thread to the log of the process. */
  readonly writeLine: (line: string) => void;
  /** The public base URL, without a trailing slash, in responses to an operator; by default that of the API. */
  readonly publicUrl?: string | undefined;
  /** Called for an error that cannot be repaired while the process runs: the process must end. */
  readonly onFatal: (error: Error) => void;
};

const opsShutdownMs = 500;

export type ServeOptions = InstallationOptions & {
  readonly directory: DataDirectory;
  readonly stores: OpenStores;
  /** The number of HTTP threads. */
  readonly threads: number;
  readonly memory: MemoryPlan;
};

// long because it connects all parts of an installation, each once
export const serve = async (options: ServeOptions): Promise<Installation> => {
  const { directory, stores, threads: count, memory, settings, logger, writeLine, onFatal } = options;
  const { log, tokens, media, history, readSide, shown, damaged } = stores;
  const writes = createInstallationWriteGate(directory.writesClosed, log);
  const numbers = { shown, damaged, closing: sharedNumber(), changes: sharedNumber() };
  const { lifecycle, ...main } = createAnswering({ settings, logger, log, writes, numbers, threadBytes: memory.threadBytes });
  const adapters = { ...main.adapters, models: readSide.models, proofs: stores.proofs };
  const { incarnation, head } = await log.state();
  const isNew = head === 0 && !writes.closed();
  const shared = { settings, keys: keysIn(directory.keys), incarnation, counters: createSharedCounters(), ...memory };
  const { release: _, ...paths } = directory;
  const askHistory = (question: Question, at = log.followed()): Promise<Reply> => history.ask(question, at);
  let ofPort: HttpThreads | undefined;
  const jobs = runJobs({ ...adapters, media, askHistory, logger, isAlone: true, onOwnerMismatch: undefined });
  const recorder = recorderOf(options, adapters.log, () => ofPort);
  const answering = { askHistory, undoStarted: jobs.wake, followed: log.followed, noteRefused: recorder.note };
  const port = await openPublicPort({
    count,
    api: { ...lifecycle, ...adapters, ...shared, ...answering, writes, media, tokens },
    threads: { data: { ...shared, directory: paths, numbers }, memory, log, tokens, history, writeLine, onFatal },
  });

  const { url, threads, answerAs } = port;
  ofPort = threads;
  const registry = createRegistry(adapters);
  const refreshReaders = async (): Promise<void> => {
    readSide.refresh();
    await threads.refreshReaders();
  };
  const ofThreads = { answerAs, refreshReaders, areThreadsListening: threads.areListening, closing: lifecycle.closing };
  const operations = createOperations({ ...stores, ...ofThreads, ...ofInstallation(options), writes, api: url });
  const operator = { token: settings.WAYMARK_OPS_TOKEN || randomKey(), api: url, pid: process.pid };
  const metrics = createMetrics(stores, main.metrics, count === 0 ? undefined : threads);
  const orders = [...closableOrders(writes, applicationRoutes(registry)), ...operationRoutes(operations, writes)];
  const ofHistory = historyRoutes({ ask: askHistory, ...requestIdsUnder(shared.keys), base: options.publicUrl ?? port.base });
  const guarded = guardedRoutes(operator.token, logger, [...orders, ...ofHistory]);
  const ops = await listenToOperators(settings, operator.token, lifecycle, [
    ...healthRoutes({ ...operations, closing: lifecycle.closing, metrics }),
    ...guarded,
  ]);
  const stopRepairing = repairReadModels({ directory: directory.readModels, damaged, rebuild: operations.rebuildReadModels, logger });
  const stopHousekeeping = housekeeping((expired) => removeExpired(stores, settings, expired), logger);

  const drain = (): void => void Atomics.store(numbers.closing, 0, 1);
  const close = async (): Promise<void> => {
    drain();
    stopHousekeeping();
    stopRepairing();
    await jobs.close();
    // The operator port closes last: until then it reports that this server is no longer ready.
    await recorder.close(await port.close(answersMs(settings)));
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
    threads: count,
    isNew,
    complete: Promise.all([stores.complete, threads.listening]).then(() => undefined),
    drain,
    close,
  };
};

/** Creates the recorder of the refused requests of all threads. */
const recorderOf = (
  { settings, logger }: ServeOptions,
  log: Answering['adapters']['log'],
  threads: () => Pick<HttpThreads, 'takeRefused'> | undefined,
): RefusalRecorder =>
  createRefusalRecorder({
    log,
    intervalMs: settings.WAYMARK_REFUSALS_SECONDS * 1_000,
    logger,
    ofThreads: async () => (await threads()?.takeRefused()) ?? [],
  });

const requestIdsUnder = ({ requestIds }: Keys) => ({ storedRequestIds: (text: string) => storedRequestIds(requestIds, text) });

/** Lets only operators call routes, and logs who gave an order. */
const guardedRoutes = (token: string, logger: Logger, routes: readonly OpenRoute[]): readonly OpenRoute[] =>
  routes.map((route) => requireOperator([token], withPersonLogged(logger, route)));

const ofInstallation = ({ directory, memory, settings }: ServeOptions) => ({
  directory,
  memoryBytes: memory.processBytes,
  checkpoints: evidenceSource(settings.WAYMARK_CHECKPOINTS_TO, async () => {
    const named = splitList(settings.WAYMARK_NOTARY_PUBLIC_KEY);
    return named.length > 0 ? named : keysOnceStarted(notaryDirectory(settings.WAYMARK_NOTARY_DIR || directory.notary).verifierKeys);
  }),
});

const removeExpired = async ({ log, tokens }: OpenStores, settings: Settings, expired: ExpiredBefore): Promise<object> => ({
  claims: await log.prune(toText(expired)),
  undos: await log.pruneUndos(toText(expired)),
  refusals: await log.pruneRefusals(toText(refusalsExpiredBefore(expired, settings.WAYMARK_REFUSALS_DAYS))),
  tokens: await tokens.expire(Date.now()),
});

const toText = ({ beforeMs }: ExpiredBefore): string => new Date(beforeMs).toISOString();

const listenToOperators = (
  settings: Settings,
  token: string,
  { noteFailure, ...lifecycle }: Answering['lifecycle'],
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
