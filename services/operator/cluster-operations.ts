import { setTimeout as pause } from 'node:timers/promises';
import type { EvidenceSource } from '@waymark/checkpoints/verification/evidence.ts';
import type { ClusterWriteGate } from '@waymark/cluster-runtime/write-gate.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { release } from '@waymark/domain/release.ts';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import type { MongoHistory } from '@waymark/history/mongodb/history.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import { unavailable } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import type { ClusterStatus, Pruned, Rebuilt } from '@waymark/operations/api/answers.ts';
import { personOf } from '@waymark/operations/api/person.ts';
import { operatorRoute } from '@waymark/operations/api/route.ts';
import { type ErasePorts, eraseObject } from '@waymark/operations/erase-object.ts';
import { setHold } from '@waymark/operations/hold.ts';
import { pruneMedia } from '@waymark/operations/prune.ts';
import { type RenewOptions, renew } from '@waymark/operations/renew.ts';
import { trusting } from '@waymark/operations/trusted-keys.ts';
import { closableOrders } from '@waymark/operations/write-gate.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { setWrites } from './closing.ts';
import { type CopyDropperOptions, createCopyDropper } from './copies.ts';
import type { LeasedOperations } from './operation-lease.ts';
import { figuresOf, missingOf, type Peer, type PeerFigures, warningsOf } from './processes.ts';
import { verify } from './verify.ts';

export type ClusterOptions = {
  readonly log: EventLog;
  /** The memory that the process plans with. */
  readonly memoryBytes: number;
  /** Returns the state of the log, or rejects soon.
   * @throws LogUnavailable */
  readonly state: EventLog['state'];
  /** The incarnation of the log that this process uses. */
  readonly incarnation: string;
  readonly renewIncarnation: RenewOptions['renewIncarnation'];
  readonly knownFacts: RenewOptions['knownFacts'];
  readonly writes: ClusterWriteGate;
  readonly readSide: MongoReadSide;
  readonly media: Media;
  readonly copies: CopyDropperOptions['copies'];
  readonly history: MongoHistory;
  readonly peers: readonly Peer[];
  /** What the log is compared with, unless an order names other keys. */
  readonly checkpoints: EvidenceSource;
  /** A token that all processes accept. */
  readonly token: string;
  /** The URL that clients call. */
  readonly api: string;
  /** Returns whether each engine responds. */
  readonly engines: () => Readonly<Record<string, string>>;
  /** Returns the reasons why this process itself cannot work, as sentences. */
  readonly ownFailures: () => readonly string[];
  /** Runs the long operations, one at a time. */
  readonly operations: LeasedOperations;
  readonly stopped: AbortSignal;
};

const rebuildLookMs = 200;
const rebuildWithinMs = 60 * 60_000;

/** Returns the operations on a cluster. Long operations run one at a time. */
export const clusterRoutes = (options: ClusterOptions): readonly OpenRoute[] => {
  const { run } = options.operations;
  const gated = options.writes.gated(options.log);
  const verified = {
    readModels: async () => (await live(options.readSide)).digest(),
    history: () => liveHistory(options.history),
  };
  return [
    operatorRoute('GET /operator/status', () => status(options)),
    operatorRoute('POST /operator/rebuild', () => run('rebuild', () => rebuild(options))),
    operatorRoute('POST /operator/verify', (order) => run('verify', () => verify(options, verified, trusting(order, options.checkpoints)))),
    operatorRoute('POST /operator/media/prune', () => run('media prune', () => prune(options))),
    operatorRoute('POST /operator/renew', () =>
      run('renew', () => renew({ ...options, shownIds: async () => (await live(options.readSide)).highestIds() })),
    ),
    operatorRoute('POST /operator/writes', async ({ open }) => {
      const { writes, peers, token } = options;
      const set = () => setWrites({ writes, figures: () => figuresOf(peers, token) }, open);
      // Opening has to wait for a running operation that needs writes closed. Closing need not wait.
      await (open ? run('writes open', set) : set());
      return { writes: open ? 'open' : 'closed' };
    }),
    ...closableOrders(options.writes, [
      operatorRoute('POST /operator/forget', (order, call) => {
        const ports: ErasePorts = { log: gated, media: options.media, dropCopies: createCopyDropper(options) };
        return run(`forget ${order.kind} ${order.id}`, () => eraseObject(ports, order, personOf(call)));
      }),
      // A hold does not wait for another operation.
      operatorRoute('POST /operator/hold', (order, call) => setHold(gated, true, { order, by: personOf(call) })),
      operatorRoute('POST /operator/release', (order, call) => setHold(gated, false, { order, by: personOf(call) })),
    ]),
  ];
};

/** A log that was rolled back lacks the names of files that it needs once its right copy is put back.
 * @throws HttpError 503 for such a log */
const prune = async ({ writes, log, media }: Pick<ClusterOptions, 'writes' | 'log' | 'media'>): Promise<Pruned> => {
  const rolledBack = await writes.rolledBack();
  if (rolledBack !== undefined) throw unavailable(rolledBack);
  return pruneMedia(log, media);
};

/** Returns why the cluster is not ready: the reasons of each process, and the processes that do not respond. */
export const clusterMissing = async (options: ClusterOptions): Promise<readonly string[]> => {
  const [processes, state] = await readCluster(options);
  return missingOfAll(options, processes, state);
};

/** Returns the warnings of all processes. The cluster may be ready nevertheless. */
export const clusterWarnings = async ({ peers, token, operations }: ClusterOptions): Promise<readonly string[]> => [
  ...(await operations.interrupted()),
  ...warningsOf(await figuresOf(peers, token)),
];

/** Returns the reports of the processes and the state of the log; the state is undefined if the log does not respond. */
const readCluster = ({ peers, token, state }: ClusterOptions): Promise<readonly [readonly PeerFigures[], LogState | undefined]> =>
  Promise.all([figuresOf(peers, token), state().catch(() => undefined)]);

const missingOfAll = async (options: ClusterOptions, processes: readonly PeerFigures[], state: LogState | undefined) => {
  const { incarnation, readSide, writes, ownFailures } = options;
  const [rolledBack, reached] = await Promise.all([writes.rolledBack(), readSide.live.position(0).catch(() => undefined)]);
  const missing = [...ownFailures(), ...missingOf(processes), ...(rolledBack === undefined ? [] : [rolledBack])];
  if (state === undefined) return missing;
  const outdated = [{ name: 'operator', incarnation }, ...processes].filter(
    (one) => one.incarnation !== undefined && one.incarnation !== state.incarnation,
  );
  missing.push(...outdated.map(({ name }) => `${name}: It uses an incarnation of the log that was replaced, and has to be restarted.`));
  if (reached !== undefined && reached.incarnation !== state.incarnation)
    missing.push('The read models are from an incarnation of the log that was replaced.');
  return missing;
};

const status = async (options: ClusterOptions): Promise<ClusterStatus> => {
  const { history, api, engines, writes } = options;
  const [processes, head] = await readCluster(options);
  const missing = await missingOfAll(options, processes, head);
  return {
    release,
    ready: missing.length === 0,
    missing,
    warnings: [...(await options.operations.interrupted()), ...warningsOf(processes)],
    api,
    writes: await writes.state(),
    ...head,
    engines: { ...enginesOf(processes), ...engines() },
    historyGeneration: (await generationRead(history)) ?? null,
    partitions: await partitionsOf(options, processes),
    processes: processes.map(({ name, pid, operator, api, ready, release, memoryBytes, uptimeSeconds, active }) => ({
      name,
      pid,
      ready,
      ...(active === undefined ? {} : { active }),
      operator,
      ...(api === undefined ? {} : { api }),
      release,
      memoryBytes,
      uptimeSeconds,
    })),
  };
};

/** Merges the engine states: each process reports the engines that it uses. */
const enginesOf = (processes: readonly PeerFigures[]): object => Object.assign({}, ...processes.map(({ engines }) => engines ?? {}));

/** Returns for each partition the positions of the relay, of the read models and of the history, and for both of these how long the oldest
 * missing event has waited. */
const partitionsOf = async ({ readSide, history }: ClusterOptions, processes: readonly PeerFigures[]): Promise<readonly object[]> => {
  const relayed = processes.find(({ active }) => active === true)?.['positions'] as readonly number[] | undefined;
  const [ofReadModels, ofHistory] = [await generationRead(readSide), await generationRead(history)];
  const lagSeconds = lagsOf(processes, ofReadModels);
  const historyLagSeconds = lagsOf(processes, ofHistory === undefined ? undefined : history.generation(ofHistory).name);
  return Promise.all(
    Array.from({ length: partitionsOfCluster }, async (_, partition) => ({
      partition,
      relayed: relayed?.[partition] ?? null,
      read: await readSide.visiblePosition(partition).catch(() => null),
      lagSeconds: lagSeconds(partition),
      history: await history.visiblePosition(partition).catch(() => null),
      historyLagSeconds: historyLagSeconds(partition),
    })),
  );
};

/** Returns the generation that is read; undefined if there is none, or if it is not known at present. */
const generationRead = async ({ generations }: Pick<MongoHistory, 'generations'>): Promise<string | undefined> =>
  (await generations.roles().catch(() => undefined))?.read;

/** Returns a function that returns the longest lag of a partition in a generation; null if no projector reports one. */
const lagsOf = (processes: readonly PeerFigures[], name: string | undefined): ((partition: number) => number | null) => {
  const fed = processes
    .flatMap(({ projections }) => (projections ?? []) as readonly Projected[])
    .filter(({ generation }) => generation === name);
  return (partition) => {
    const lags = fed.flatMap(({ partitions }) => partitions[partition]?.lagSeconds ?? []);
    return lags.length > 0 ? Math.max(...lags) : null;
  };
};

/** The report of a projector on a generation. */
type Projected = { readonly generation: string; readonly partitions: readonly { readonly lagSeconds: number }[] };

/** Builds new read models, and then a new history, beside the current ones. Waits until each is complete and in use. */
const rebuild = async ({ readSide, history, stopped }: ClusterOptions): Promise<Rebuilt> => {
  const startedMs = performance.now();
  const generation = await renewGeneration(readSide.generations, stopped);
  const entry = (await readSide.generations.list()).find(({ name }) => name === generation);
  const past = await renewGeneration(history.generations, stopped);
  const seconds = (performance.now() - startedMs) / 1000;
  return { generation, history: { generation: past }, seconds, comparison: entry?.compared ?? null };
};

/** Starts a new generation, and waits until the projectors have filled it and it has become the current one. Returns its name. */
const renewGeneration = async (generations: MongoReadSide['generations'], stopped: AbortSignal): Promise<string> => {
  const startedMs = performance.now();
  const generation = await generations.begin();
  while (performance.now() - startedMs < rebuildWithinMs && !stopped.aborted) {
    const { read } = await generations.roles().catch(() => ({ read: undefined }));
    if (read === generation) return generation;
    await pause(rebuildLookMs);
  }
  throw unavailable('The rebuild continues: `status` shows when it is done.');
};

const live = async (readSide: MongoReadSide) => {
  const { read } = await readSide.generations.roles();
  if (read === undefined) throw unavailable('There are no read models yet.');
  return readSide.generation(read);
};

const liveHistory = async ({ generations, generation }: MongoHistory) => {
  const { read } = await generations.roles();
  return read === undefined ? undefined : generation(read);
};
