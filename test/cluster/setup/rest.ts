import { setTimeout as pause } from 'node:timers/promises';
import { unallocatedFrom } from '@waymark/event-log/testing/some-events.ts';
import { bodyOf } from '../../api/session.ts';
import type { ServedCluster } from './cluster.ts';
import { until } from './until.ts';

/** The bound on a machine of usual speed. */
const withinMs = 90_000;
const idleMs = 1_200;
/** How long after a request its refusal, or a checkpoint, may still be appended: each once a second. */
const appendedMs = 2_500;
/** How often something may still be appended. A notary that lost its proof store builds it again before it signs the next checkpoint. */
const appendPausesMax = 5;
/** Longer than the intervals at which a cluster of tests appends anything. */
const idleAfterLateMs = 10_000;
const logChange = 'the log';

type Status = {
  readonly ready: boolean;
  readonly missing: readonly string[];
  readonly head: number;
  readonly historyGeneration: string | null;
  readonly partitions: readonly {
    readonly partition: number;
    readonly relayed: number | null;
    readonly read: number | null;
    readonly lagSeconds: number | null;
    readonly history: number | null;
    readonly historyLagSeconds: number | null;
  }[];
};
type Verification = {
  readonly sound: boolean;
  readonly log: readonly string[];
  readonly readModels: { readonly equal: boolean };
  /** Missing in releases before 0.3.0. */
  readonly history?: { readonly equal: boolean };
  readonly unchecked: readonly string[];
};

export const statusOf = async ({ operator }: ServedCluster): Promise<Status> => bodyOf<Status>(await operator('GET', '/status'), 200);

/** Waits until every process is ready, and the read models and the history have everything that the log has.
 * @throws if that does not happen in time */
export const untilAtRest = async (cluster: ServedCluster): Promise<void> => {
  let seen: Status | undefined;
  await until('all processes are ready, and the read models and the history have everything', withinMs * cluster.slowness, async () => {
    seen = await statusOf(cluster);
    const { ready, head, partitions } = seen;
    return ready && partitions.every((one) => [one.read, one.history].every((at) => (at ?? -1) >= head) && isWithoutLag(one));
  }).catch((error: Error) => {
    throw new Error(`${error.message}\n${JSON.stringify(seen, null, 1)}`, { cause: error });
  });
};

const isWithoutLag = ({ lagSeconds, historyLagSeconds }: Status['partitions'][number]): boolean =>
  (lagSeconds ?? 0) === 0 && (historyLagSeconds ?? 0) === 0;

/** Returns what changed in a cluster while no client sent requests. Only watermarks may change. On a busy machine, something may be appended
 * late: then nothing may follow for a longer time. */
export const changesWhileIdle = async (cluster: ServedCluster): Promise<readonly string[]> => {
  const changes = await changesWithin(idleMs, cluster);
  const isLate = changes.length > 0 && changes.every((change) => change.startsWith(logChange));
  return isLate ? changesWithin(idleAfterLateMs, cluster) : changes;
};

const changesWithin = async (ms: number, cluster: ServedCluster): Promise<readonly string[]> => {
  await untilAppended(cluster);
  const before = await countsOf(cluster);
  await pause(ms);
  const after = await countsOf(cluster);
  return Object.keys(before)
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${before[name]} → ${after[name]}`);
};

/** Waits until what was still to be appended is in the log, a few times at most: what appends for ever is found afterwards. */
const untilAppended = async (cluster: ServedCluster): Promise<void> => {
  for (let pauses = 0; pauses < appendPausesMax; pauses += 1) {
    const { head } = await statusOf(cluster);
    await pause(appendedMs);
    if ((await statusOf(cluster)).head === head) return;
  }
};

const countsOf = async (cluster: ServedCluster): Promise<Readonly<Record<string, string>>> => {
  const { head, missing } = await statusOf(cluster);
  // A process on a busy machine may be slow to answer once: `pidsOf` waits for it.
  const troubles = missing.filter((what) => !what.endsWith('It does not answer.'));
  return { [logChange]: `${head}`, 'what is missing': troubles.join(' '), processes: await pidsOf(cluster) };
};

/** Returns the ids of all processes, once all of them answer and are ready. */
export const pidsOf = async (cluster: ServedCluster): Promise<string> => {
  let pids: readonly (readonly [string, number | undefined])[] = [];
  await until('all processes are ready, and report their ids', withinMs * cluster.slowness, async () => {
    pids = (await cluster.processes()).map(({ name, pid }) => [name, pid] as const);
    return pids.every(([, pid]) => pid !== undefined) && (await cluster.ready());
  });
  return pids.join(' ');
};

/** Verifies that the log is sound, and that the read models and the history match it.
 * @returns the findings */
export const verificationFindings = async ({ operator }: ServedCluster): Promise<readonly string[]> => {
  const { sound, log, readModels, history, unchecked } = bodyOf<Verification>(await operator('POST', '/verify'), 200);
  if (sound) return [];
  const own = log.filter((finding) => !isOfOthers(finding));
  return [
    ...own,
    ...(readModels.equal ? [] : ['the read models do not match the log']),
    ...(history?.equal !== false ? [] : ['the history does not match the log']),
    ...unchecked.filter((what) => own.length > 0 || !/it has too many other faults/.test(what)),
  ];
};

/** Tests of the log itself write events that name no object (`someEvent`) to the log that all clusters share, and cut their streams. The
 * verification rightly reports these events, and looks no further where there are many. */
const isOfOthers = (finding: string): boolean => {
  const [, id] = /^pinpoint-(\d+), revision \d+: /.exec(finding) ?? [];
  return Number(id) >= unallocatedFrom;
};
