import type { EventLog } from '@waymark/event-log/event-log.ts';
import { incarnationFreshMs } from '../limits.ts';

/** The incarnation of the log in which tokens are looked up. A log restored from a backup has lost revocations, so tokens issued before the
 * restore are invalid. */
export type Incarnation = {
  /** Returns an incarnation that is at most `incarnationFreshMs` old.
   * @throws LogUnavailable */
  readonly now: () => Promise<string>;
  /** Returns the last known incarnation; undefined if there is none yet. */
  readonly before: () => string | undefined;
};

export const createIncarnation = (log: EventLog): Incarnation => {
  let known: { readonly value: string; readonly untilMs: number } | undefined;
  let asking: Promise<string> | undefined;

  const ask = async (): Promise<string> => {
    const untilMs = performance.now() + incarnationFreshMs;
    const { incarnation: value } = await log.state();
    known = { value, untilMs };
    return value;
  };

  return {
    now: () => {
      if (known && performance.now() < known.untilMs) return Promise.resolve(known.value);
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    before: () => known?.value,
  };
};
