import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beatMs, leaseMs, seenMs } from '@waymark/read-models/mongodb/limits.ts';
import type { Generations, MongoReadSide, Roles } from '@waymark/read-models/mongodb/read-side.ts';

/** The generations of the read models, as a process knows them. */
export type ReaderRegistration = {
  /** Returns the generations that writes wait for; none if they are not known at present. */
  readonly awaited: () => readonly string[];
  /** Returns why the process must not serve reads yet, as sentences: until it has registered as a reader of a generation that no other version
   * had superseded by then. Such a generation stays for as long as the process reads it. */
  readonly notReady: () => readonly string[];
  readonly close: () => void;
};

/** The interval of the polls while the process does not know a generation that it can rely on. */
const firstAskEveryMs = 250;

/** Polls which generations writes have to wait for, and records that the process is alive. With `reads` the process also registers as a
 * reader of the current generation, so that this generation is not dropped too early. A process that starts when its version is superseded
 * registers only once a new generation of its version is live. */
export const registerReader = (
  { generations, beat }: Pick<MongoReadSide, 'beat'> & { readonly generations: Pick<Generations, 'readRoles' | 'seen'> },
  { reads }: { readonly reads: boolean },
): ReaderRegistration => {
  const reader = randomUUID();
  const closing = new AbortController();
  let polled: Pick<Roles, 'awaited' | 'askedAtMs'> = { awaited: [], askedAtMs: Number.NEGATIVE_INFINITY };
  let isCounted = false;
  let beatAtMs = Number.NEGATIVE_INFINITY;
  // Counted from the query, as in a lease: a slow database may have answered it long after.
  const awaited = (): readonly string[] => (performance.now() - polled.askedAtMs < leaseMs ? polled.awaited : []);

  const ask = async (): Promise<void> => {
    const atMs = performance.now();
    const { read, isSuperseded, ...known } = await generations.readRoles();
    polled = known;
    if (atMs - beatAtMs >= beatMs) {
      beatAtMs = atMs;
      await beat();
    }
    if (!reads || read === undefined || (isSuperseded && !isCounted)) return;
    await generations.seen(reader, read);
    // Whoever supersedes the generation asks for its readers only after that time.
    if (performance.now() - known.askedAtMs < leaseMs) isCounted = true;
  };
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const startedMs = performance.now();
      await ask().catch(() => undefined);
      const isSettled = awaited().length > 0 && (isCounted || !reads);
      // From start to start: after a slow query, the next one must come before its result is too old.
      const restMs = (isSettled ? seenMs : firstAskEveryMs) - (performance.now() - startedMs);
      await pause(Math.max(0, restMs), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void poll();
  return {
    awaited,
    notReady: () => (isCounted ? [] : ['No generation of the read models is live that this process can rely on.']),
    close: () => closing.abort(),
  };
};
