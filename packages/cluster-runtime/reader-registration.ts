import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beatMs, seenMs } from '@waymark/read-models/mongodb/limits.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';

/** The generations of the read models, as a process knows them. */
export type ReaderRegistration = {
  /** Returns the generations that writes wait for; none if they are not known at present. */
  readonly awaited: () => readonly string[];
  readonly close: () => void;
};

const askEveryMs = 250;
/** The age after which a result of the poll is ignored. */
const polledFreshMs = 2_000;

/** Polls which generations writes have to wait for, and records that the process is alive. With `reads` the process also registers as a
 * reader of the current generation, so that this generation is not dropped too early. */
export const registerReader = (
  { generations, beat }: Pick<MongoReadSide, 'generations' | 'beat'>,
  { reads }: { readonly reads: boolean },
): ReaderRegistration => {
  const reader = randomUUID();
  const closing = new AbortController();
  let polled: { readonly awaited: readonly string[]; readonly atMs: number } = { awaited: [], atMs: 0 };
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let beatAtMs = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    const atMs = performance.now();
    const { read, awaited } = await generations.roles();
    polled = { awaited, atMs };
    if (atMs - beatAtMs >= beatMs) {
      beatAtMs = atMs;
      await beat();
    }
    if (!reads || read === undefined || atMs - seenAtMs < seenMs) return;
    seenAtMs = atMs;
    await generations.seen(reader, read);
  };
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await ask().catch(() => undefined);
      await pause(askEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void poll();
  return {
    awaited: () => (performance.now() - polled.atMs < polledFreshMs ? polled.awaited : []),
    close: () => closing.abort(),
  };
};
