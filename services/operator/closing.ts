import { setTimeout as pause } from 'node:timers/promises';
import { type ClusterWriteGate, writeGateKnownMs } from '@waymark/cluster-runtime/write-gate.ts';
import { callMsDefault } from '@waymark/event-log/eventstoredb/limits.ts';
import { unavailable } from '@waymark/http/errors.ts';
import type { PeerFigures } from './processes.ts';

export type ClosingOptions = {
  readonly writes: Pick<ClusterWriteGate, 'set' | 'state'>;
  readonly figures: () => Promise<readonly PeerFigures[]>;
  readonly lastsMs?: number;
};

/** How long any process may still write, whether its name is known or not: it may act on its cached state, and then wait for an append. */
const lastsMsUsual = writeGateKnownMs + callMsDefault + 1_000;
/** The time within which a responding process must report that it has no append in progress. */
const withinMs = 15_000;
const pollEveryMs = 200;

/** Closes or opens writes for all processes. When it resolves after closing, no process appends any more. The reports of the processes that
 * are known only extend the wait: names may be missing, or lead to one of several processes.
 * @throws HttpError 503 if a process still writes; writes stay closed, for that process too */
export const setWrites = async ({ writes, figures, lastsMs = lastsMsUsual }: ClosingOptions, open: boolean): Promise<void> => {
  await writes.set(open);
  if (open) return;
  const sinceMs = performance.now();
  for (;;) {
    const [all, own] = await Promise.all([figures(), writes.state()]);
    const lastedMs = performance.now() - sinceMs;
    const writing = all.filter((peer) => 'writes' in peer && peer['writes'] !== 'closed').map(({ name }) => name);
    if (own === 'closed' && writing.length === 0 && lastedMs >= lastsMs) return;
    if (lastedMs >= withinMs)
      throw unavailable(`Writes are closed, but some processes still have appends in progress: ${writing.join(', ')}.`);
    await pause(pollEveryMs);
  }
};
