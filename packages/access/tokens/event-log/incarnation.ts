import type { EventLog } from '@waymark/event-log/event-log.ts';
import { incarnationFreshMs } from '../limits.ts';

/** Which log tokens are looked up in: one that was restored from a backup has forgotten revocations, so that no token from before counts. */
export type Incarnation = {
  /** At most `incarnationFreshMs` old. @throws LogUnavailable */
  readonly now: () => Promise<string>;
  /** As it was last known; undefined before that. */
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
