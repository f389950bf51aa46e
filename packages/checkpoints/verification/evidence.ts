import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { originOf } from '@waymark/proof/checkpoint.ts';
import type { CheckpointPlace } from '../place.ts';
import { firstCheckpointPollMs, firstCheckpointWithinMs, keyPollMs, keyWithinMs } from './limits.ts';
import { type Published, readPublished } from './published.ts';
import { type Evidence, noKey } from './records.ts';

export type { Evidence };

/** Where the checkpoints of an installation are published, and which keys are trusted. */
export type EvidenceSource = {
  /** Opens the place where checkpoints are published; null where they are published nowhere. */
  readonly openPlace: (() => Promise<CheckpointPlace>) | null;
  /** Returns verifier keys, as text. */
  readonly keys: () => Promise<readonly string[]>;
  /** How long to wait for the first checkpoint of an origin, in milliseconds. */
  readonly firstWithinMs: number;
};

/** Returns what settings name.
 * @param place a path or URL; empty: nowhere
 * @param options see `openPlace` */
export const evidenceSource = (
  place: string,
  keys: EvidenceSource['keys'],
  options: { readonly ca?: string | undefined } = {},
): EvidenceSource => ({
  // The library of a place is loaded when it is needed.
  openPlace: place === '' ? null : async () => (await import('../urls.ts')).openPlace(place, options),
  keys,
  firstWithinMs: firstCheckpointWithinMs,
});

/** Returns the keys of a notary that may have just started, or may be slow to answer. After a time limit there are none.
 * @param keys returns those that are known by now */
export const keysOnceStarted = async (keys: () => readonly string[] | Promise<readonly string[]>): Promise<readonly string[]> => {
  for (const untilMs = performance.now() + keyWithinMs; ; ) {
    const known = await keys();
    if (known.length > 0 || performance.now() >= untilMs) return known;
    await pause(keyPollMs);
  }
};

/** Reads what a log is compared with. The log must be read afterwards: then it has all that is published.
 * @returns also what could not be read, as sentences; without the published checkpoints, the log is compared with those that it records itself */
export const readEvidence = async (
  { openPlace, keys: keysOf, firstWithinMs }: EvidenceSource,
  { installation, incarnation, head }: Pick<LogState, 'installation' | 'incarnation' | 'head'>,
): Promise<{ readonly evidence: Evidence; readonly unchecked: readonly string[] }> => {
  const keys = await keysOf();
  const evidence: Evidence = { origin: originOf(installation, incarnation), keys, published: null, before: head };
  if (openPlace === null) return { evidence, unchecked: [] };
  if (keys.length === 0) return { evidence, unchecked: [`The log was not compared with the published checkpoints: ${noKey}`] };
  const place = await openPlace();
  try {
    return { evidence: { ...evidence, published: await readOnceSigned(place, evidence.origin, firstWithinMs) }, unchecked: [] };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { evidence, unchecked: [`The log was not compared with the published checkpoints: ${error.message}`] };
  } finally {
    place.close();
  }
};

/** Reads published checkpoints. After an import or a renewal, waits until the notary has signed for the first time. */
const readOnceSigned = async (place: CheckpointPlace, origin: string, withinMs: number): Promise<Published> => {
  const untilMs = performance.now() + withinMs;
  for (;;) {
    const published = await readPublished(place, origin);
    if (published.latest > 0 || performance.now() >= untilMs) return published;
    await pause(firstCheckpointPollMs);
  }
};
