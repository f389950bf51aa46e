import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beatMs, seenMs } from '@waymark/read-models/mongodb/limits.ts';
import type { MongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';

/** What a process knows of the generations of the read side. */
export type ReaderRegistration = {
  /** Those that writes wait for; none where that is not known by now. */
  readonly waited: () => readonly string[];
  readonly close: () => void;
};

const askEveryMs = 250;
/** What was heard longer ago says nothing any more. */
const heardMs = 2_000;

/** Asks again and again which generations count, and shows that the process lives. `reads`: it reads one, and says so, so that it is not dropped before. */
export const registerReader = ({ generations, beat }: MongoReadSide, { reads }: { readonly reads: boolean }): ReaderRegistration => {
  const reader = randomUUID();
  const closing = new AbortController();
  let heard: { readonly waited: readonly string[]; readonly atMs: number } = { waited: [], atMs: 0 };
  let seenAtMs = Number.NEGATIVE_INFINITY;
  let beatAtMs = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    const atMs = performance.now();
    const { read, waited } = await generations.roles();
    heard = { waited, atMs };
    if (atMs - beatAtMs >= beatMs) {
      beatAtMs = atMs;
      await beat();
    }
    if (!reads || read === undefined || atMs - seenAtMs < seenMs) return;
    seenAtMs = atMs;
    await generations.seen(reader, read);
  };
  const goOn = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await ask().catch(() => undefined);
      await pause(askEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void goOn();
  return {
    waited: () => (performance.now() - heard.atMs < heardMs ? heard.waited : []),
    close: () => closing.abort(),
  };
};
