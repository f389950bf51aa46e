import { setTimeout as pause } from 'node:timers/promises';
import type { WriteGate } from '@waymark/cluster-runtime/write-gate.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { release } from '@waymark/domain/release.ts';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import { badRequest, unavailable } from '@waymark/http/errors.ts';
import { json } from '@waymark/http/operator/routes.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { operatorBody } from '@waymark/http/request/request-body.ts';
import type { Media } from '@waymark/media/media.ts';
import { eraseObject, parseEraseOrder } from '@waymark/operations/erase-object.ts';
import { createOneAtATime } from '@waymark/operations/one-at-a-time.ts';
import { pruneMedia } from '@waymark/operations/prune.ts';
import { type RenewOptions, renew } from '@waymark/operations/renew.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { setWrites } from './closing.ts';
import { type Copies, droppingCopies } from './copies.ts';
import { figuresOf, missingOf, type Peer, type PeerFigures, warningsOf } from './processes.ts';
import { verify } from './verify.ts';

export type ClusterOptions = {
  readonly log: EventLog;
  /** What the process plans with. */
  readonly memoryBytes: number;
  /** The log's, or that it does not tell soon. @throws LogUnavailable */
  readonly state: EventLog['state'];
  /** Of the log that this process works with. */
  readonly incarnation: string;
  readonly renewIncarnation: RenewOptions['renewIncarnation'];
  readonly knownFacts: RenewOptions['knownFacts'];
  readonly writes: WriteGate;
  readonly readSide: MongoReadSide;
  readonly media: Media;
  readonly copies: Copies;
  readonly peers: readonly Peer[];
  /** One that all processes accept. */
  readonly token: string;
  /** What clients call. */
  readonly api: string;
  /** Whether each engine answers. */
  readonly engines: () => Readonly<Record<string, string>>;
  /** What keeps this process itself from its work, in sentences. */
  readonly troubles: () => readonly string[];
  readonly stopped: AbortSignal;
};

const rebuildLookMs = 200;
const rebuildWithinMs = 60 * 60_000;

/** What an operator may have done with a cluster. One of the long ones at a time. */
export const clusterRoutes = (options: ClusterOptions): readonly OpenRoute[] => {
  const oneAtATime = createOneAtATime();
  const order = (path: string, work: () => Promise<object>): OpenRoute => ({
    method: 'POST',
    path: `/operator/${path}`,
    handle: async () => json(200, await oneAtATime(work)),
  });
  return [
    { method: 'GET', path: '/operator/status', handle: async () => json(200, await status(options)) },
    order('rebuild', () => rebuild(options)),
    order('verify', () => verify(options, async () => (await live(options.readSide)).digest())),
    order('media/prune', () => pruneMedia(options.log, options.media)),
    order('renew', () => renew({ ...options, shownIds: async () => (await live(options.readSide)).highestIds() })),
    {
      method: 'POST',
      path: '/operator/writes',
      handle: async (call) => {
        const open = ((await readJson(call, operatorBody)).json as { readonly open?: unknown } | null)?.open;
        if (typeof open !== 'boolean') throw badRequest('open: true or false is required');
        const { writes, peers, token } = options;
        const set = () => setWrites({ writes, figures: () => figuresOf(peers, token) }, open);
        // Not while something runs that needs them closed. Closing needs no turn.
        await (open ? oneAtATime(set) : set());
        return json(200, { writes: open ? 'open' : 'closed' });
      },
    },
    {
      method: 'POST',
      path: '/operator/forget',
      handle: async (call) => {
        const { writes } = options;
        const wanted = parseEraseOrder((await readJson(call, operatorBody)).json);
        return json(
          200,
          await oneAtATime(() =>
            eraseObject({ log: writes.gated(options.log), media: options.media, dropCopies: droppingCopies(options) }, wanted),
          ),
        );
      },
    },
  ];
};

/** What keeps the cluster from being ready: what each of its processes says, and what does not answer. */
export const clusterMissing = async (options: ClusterOptions): Promise<readonly string[]> => {
  const [processes, state] = await seen(options);
  return missingOfAll(options, processes, state);
};

/** What an operator should know although the cluster is ready: what each of its processes says. */
export const clusterWarnings = async ({ peers, token }: ClusterOptions): Promise<readonly string[]> =>
  warningsOf(await figuresOf(peers, token));

/** What the processes say, and where the log stands; undefined where it does not answer. */
const seen = ({ peers, token, state }: ClusterOptions): Promise<readonly [readonly PeerFigures[], LogState | undefined]> =>
  Promise.all([figuresOf(peers, token), state().catch(() => undefined)]);

const missingOfAll = async (options: ClusterOptions, processes: readonly PeerFigures[], state: LogState | undefined) => {
  const { incarnation, readSide, writes, troubles } = options;
  const [putBack, stands] = await Promise.all([writes.putBack(), readSide.live.position(0).catch(() => undefined)]);
  const missing = [...troubles(), ...missingOf(processes), ...(putBack === undefined ? [] : [putBack])];
  if (state === undefined) return missing;
  const outdated = [{ name: 'operator', incarnation }, ...processes].filter(
    (one) => one.incarnation !== undefined && one.incarnation !== state.incarnation,
  );
  missing.push(...outdated.map(({ name }) => `${name}: It works with a log that is no more, and has to start anew.`));
  if (stands !== undefined && stands.incarnation !== state.incarnation) missing.push('The read side is of a log that is no more.');
  return missing;
};

const status = async (options: ClusterOptions): Promise<object> => {
  const { readSide, api, engines, writes } = options;
  const [processes, head] = await seen(options);
  const missing = await missingOfAll(options, processes, head);
  return {
    release,
    ready: missing.length === 0,
    missing,
    warnings: warningsOf(processes),
    api,
    writes: await writes.state(),
    ...head,
    engines: { ...enginesOf(processes), ...engines() },
    partitions: await partitionsOf(readSide, processes),
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

/** Each process knows the engines that it uses. */
const enginesOf = (processes: readonly PeerFigures[]): object => Object.assign({}, ...processes.map(({ engines }) => engines ?? {}));

/** How far the relay has told of each partition, how far the read side stands, and for how long the oldest event that it lacks has waited. */
const partitionsOf = async (readSide: MongoReadSide, processes: readonly PeerFigures[]): Promise<readonly object[]> => {
  const relayed = processes.find(({ active }) => active === true)?.['positions'] as readonly number[] | undefined;
  const { read: live } = await readSide.generations.roles().catch(() => ({ read: undefined }));
  const fed = processes
    .flatMap(({ projections }) => (projections ?? []) as readonly Projected[])
    .filter(({ generation }) => generation === live);
  return Promise.all(
    Array.from({ length: partitionsOfCluster }, async (_, partition) => {
      const read = await readSide.visiblePosition(partition).catch(() => null);
      const lags = fed.flatMap(({ partitions }) => partitions[partition]?.lagSeconds ?? []);
      return { partition, relayed: relayed?.[partition] ?? null, read, lagSeconds: lags.length > 0 ? Math.max(...lags) : null };
    }),
  );
};

/** What a projector tells of a generation. */
type Projected = { readonly generation: string; readonly partitions: readonly { readonly lagSeconds: number }[] };

/** Begins a generation beside the one that is read, and waits until the projectors have filled it and it is read. */
const rebuild = async ({ readSide: { generations }, stopped }: ClusterOptions): Promise<object> => {
  const startedMs = performance.now();
  const generation = await generations.begin();
  while (performance.now() - startedMs < rebuildWithinMs && !stopped.aborted) {
    const { read } = await generations.roles().catch(() => ({ read: undefined }));
    if (read === generation) {
      const entry = (await generations.list()).find(({ name }) => name === generation);
      return { generation, seconds: (performance.now() - startedMs) / 1000, comparison: entry?.compared ?? null };
    }
    await pause(rebuildLookMs);
  }
  throw unavailable('The rebuild goes on: `status` tells when it is done.');
};

const live = async (readSide: MongoReadSide) => {
  const { read } = await readSide.generations.roles();
  if (read === undefined) throw unavailable('There is no read side to look at yet.');
  return readSide.generation(read);
};
