import { setTimeout as pause } from 'node:timers/promises';
import { type WriteGate, writeGateKnownMs } from '@waymark/cluster-runtime/write-gate.ts';
import { callMsDefault } from '@waymark/event-log/eventstoredb/limits.ts';
import { unavailable } from '@waymark/http/errors.ts';
import type { PeerFigures } from './processes.ts';

export type ClosingOptions = {
  readonly writes: Pick<WriteGate, 'set' | 'state'>;
  readonly figures: () => Promise<readonly PeerFigures[]>;
  readonly outlastMs?: number;
};

/** What somebody who does not answer may still do: act on what is known for a while, and wait for an append. */
const outlastMsUsual = writeGateKnownMs + callMsDefault + 1_000;
/** A process that answers has until then to say that nothing is on its way. */
const withinMs = 15_000;
const lookEveryMs = 200;

/** Closes or opens writes for all. Closed means: nothing more comes into the log of what was on its way, either.
 * @throws HttpError 503 where somebody still writes: they are closed for all others, and will be for him */
export const setWrites = async ({ writes, figures, outlastMs = outlastMsUsual }: ClosingOptions, open: boolean): Promise<void> => {
  await writes.set(open);
  if (open) return;
  const sinceMs = performance.now();
  for (;;) {
    const [all, own] = await Promise.all([figures(), writes.state()]);
    const lastedMs = performance.now() - sinceMs;
    const silent = all.some((peer) => !('service' in peer));
    const writing = all.filter((peer) => 'writes' in peer && peer['writes'] !== 'closed').map(({ name }) => name);
    if (own === 'closed' && writing.length === 0 && (!silent || lastedMs >= outlastMs)) return;
    if (lastedMs >= withinMs) throw unavailable(`Writes are closed, but some are still on their way: ${writing.join(', ')}.`);
    await pause(lookEveryMs);
  }
};
