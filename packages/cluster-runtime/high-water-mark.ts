import { setTimeout as pause } from 'node:timers/promises';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** The read side, as far as it says where it stands. */
type Standing = {
  readonly generations: { readonly roles: () => Promise<{ readonly read: string | undefined }> };
  readonly generation: (name: string) => { readonly positions: () => Promise<readonly (ReadPosition | undefined)[]> };
};

export type HighWaterMark = {
  /** Of all partitions, as far as the read side was ever known to stand. */
  readonly position: () => ReadPosition | undefined;
  readonly close: () => void;
};

const askEveryMs = 1_000;

/** Asks the read side again and again how far it stands. What it once said stays true, also while it is away: a log that ends before it
 * was put back. */
export const createHighWaterMark = (side: Standing): HighWaterMark => {
  const closing = new AbortController();
  let furthest: ReadPosition | undefined;
  const ask = async (): Promise<void> => {
    const { read } = await side.generations.roles();
    if (read === undefined) return;
    for (const stands of await side.generation(read).positions()) furthest = further(furthest, stands);
  };
  const goOn = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await ask().catch(() => undefined);
      await pause(askEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void goOn();
  return { position: () => furthest, close: () => closing.abort() };
};

/** Positions of another log come in the place of those before. */
const further = (one: ReadPosition | undefined, other: ReadPosition | undefined): ReadPosition | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  return other.incarnation !== one.incarnation || other.position > one.position ? other : one;
};
