import { setTimeout as pause } from 'node:timers/promises';
import { unallocatedFrom } from '@waymark/event-log/testing/some-events.ts';
import { bodyOf } from '../../api/session.ts';
import type { Cluster } from './cluster.ts';
import { until } from './until.ts';

/** The bound on a machine of usual speed. */
const withinMs = 90_000;
const idleMs = 1_200;
/** How long after a request its refusal may still be appended: `WAYMARK_REFUSALS_SECONDS` is 1. */
const refusalsMs = 2_500;

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

export const statusOf = async ({ operator }: Cluster): Promise<Status> => bodyOf<Status>(await operator('GET', '/status'), 200);

/** Waits until every process is ready, and the read models and the history have everything that the log has.
 * @throws if that does not happen in time */
export const untilAtRest = async (cluster: Cluster): Promise<void> => {
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

/** Returns what changed in a cluster while no client sent requests. Only watermarks may change. */
export const changesWhileIdle = async (cluster: Cluster): Promise<readonly string[]> => {
  await pause(refusalsMs);
  const before = await countsOf(cluster);
  await pause(idleMs);
  const after = await countsOf(cluster);
  return Object.keys(before)
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name}: ${before[name]} → ${after[name]}`);
};

const countsOf = async (cluster: Cluster): Promise<Readonly<Record<string, string>>> => {
  const { head, missing } = await statusOf(cluster);
  // A process on a busy machine may be slow to answer once: `pidsOf` waits for it.
  const troubles = missing.filter((what) => !what.endsWith('It does not answer.'));
  return { 'the log': `${head}`, 'what is missing': troubles.join(' '), processes: await pidsOf(cluster) };
};

/** Returns the ids of all processes, once all of them answer and are ready. */
export const pidsOf = async (cluster: Cluster): Promise<string> => {
  let pids: readonly (readonly [string, number | undefined])[] = [];
  await until('all processes are ready, and report their ids', withinMs * cluster.slowness, async () => {
    pids = (await cluster.processes()).map(({ name, pid }) => [name, pid] as const);
    return pids.every(([, pid]) => pid !== undefined) && (await cluster.ready());
  });
  return pids.join(' ');
};

/** Verifies that the log is sound, and that the read models and the history match it.
 * @returns the findings */
export const verificationFindings = async ({ operator }: Cluster): Promise<readonly string[]> => {
  const { sound, log, readModels, history, unchecked } = bodyOf<Verification>(await operator('POST', '/verify'), 200);
  if (sound) return [];
  return [
    ...log.filter((finding) => !isOfOthers(finding)),
    ...(readModels.equal ? [] : ['the read models do not match the log']),
    ...(history?.equal !== false ? [] : ['the history does not match the log']),
    ...unchecked,
  ];
};

/** Tests of the log itself write events that name no object (`someEvent`) to the log that all clusters share. The verification rightly
 * reports these events as contradictory. */
const isOfOthers = (finding: string): boolean => {
  const [, id] = /^pinpoint-(\d+), revision \d+: the content contradicts/.exec(finding) ?? [];
  return Number(id) >= unallocatedFrom;
};
