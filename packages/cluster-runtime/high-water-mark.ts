import { setTimeout as pause } from 'node:timers/promises';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** The read models, as the source of their positions. */
type PositionSource = {
  readonly generations: { readonly roles: () => Promise<{ readonly read: string | undefined }> };
  readonly generation: (name: string) => { readonly positions: () => Promise<readonly (ReadPosition | undefined)[]> };
};

export type HighWaterMark = {
  /** Returns the highest position of all partitions that the read models were ever known to have reached. */
  readonly position: () => ReadPosition | undefined;
  readonly close: () => void;
};

const askEveryMs = 1_000;

/** Polls the positions of the read models. A position that they once reported stays valid, also while they are unavailable: a log that ends
 * before it was rolled back. */
export const createHighWaterMark = (side: PositionSource): HighWaterMark => {
  const closing = new AbortController();
  let furthest: ReadPosition | undefined;
  const ask = async (): Promise<void> => {
    const { read } = await side.generations.roles();
    if (read === undefined) return;
    for (const reached of await side.generation(read).positions()) furthest = higherOf(furthest, reached);
  };
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await ask().catch(() => undefined);
      await pause(askEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void poll();
  return { position: () => furthest, close: () => closing.abort() };
};

/** Returns the higher position. A position of another incarnation replaces the earlier one. */
const higherOf = (one: ReadPosition | undefined, other: ReadPosition | undefined): ReadPosition | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  return other.incarnation !== one.incarnation || other.position > one.position ? other : one;
};
