import type { RecordsLogger } from './client.ts';
import { alarmEveryMs, alarmForMs } from './limits.ts';
import type { Untrusted, VerifiedRecord } from './trust.ts';

/** Counts since the start. */
export type LeftOutCounts = Record<Untrusted, number>;

/** The log field `reason`, as it is sent to the log. */
const reasons: Readonly<Record<Untrusted, string>> = { unsigned: 'unsigned', foreign: 'foreign', forged: 'forged', malformed: 'malformed' };

/** Counts records that are left out, and reports those that another writer must have written. Records of v0.1.0 are only counted. */
export type Alarm = {
  readonly leftOut: (
    judged: VerifiedRecord & { readonly untrusted: Untrusted },
    place: { readonly partition: number; readonly offset: string },
  ) => void;
  /** Returns the current warnings for operators; none once the last such record is `alarmForMs` ago. */
  readonly warnings: () => readonly string[];
};

export const createAlarm = (topic: string, counts: LeftOutCounts, logger: RecordsLogger): Alarm => {
  let lastMs = Number.NEGATIVE_INFINITY;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let other: string | undefined;
  const text = (): string =>
    [
      `Records on the Kafka topic ${topic} that this installation did not write are left out (${counts.forged} forged, ${counts.foreign} foreign,`,
      `${counts.malformed} malformed since the start).`,
      ...(other === undefined
        ? ['Another process writes to the topic.']
        : [`Installation ${other} writes to the topic: configure another topic for one of the two (WAYMARK_KAFKA_TOPIC).`]),
    ].join(' ');
  return {
    leftOut: ({ untrusted, installation }, { partition, offset }) => {
      counts[untrusted] += 1;
      if (untrusted === 'unsigned') return;
      if (installation !== undefined) other = installation;
      lastMs = performance.now();
      if (lastMs - loggedAtMs < alarmEveryMs) return;
      loggedAtMs = lastMs;
      logger.error({ partition, offset, topic, reason: reasons[untrusted] }, text());
    },
    warnings: () => (performance.now() - lastMs < alarmForMs ? [text()] : []),
  };
};
