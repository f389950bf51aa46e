import type { RecordedEvent } from '@waymark/domain/event.ts';
import { withLog } from '../history/facts.ts';
import type { Cluster } from './cluster.ts';

type Log = Parameters<Parameters<typeof withLog>[0]>[0];

/** Returns the content of a backup: every event, in the order of the log. */
export const readAllEvents = async (log: Log): Promise<readonly RecordedEvent[]> => {
  const [events, { head }, done]: [RecordedEvent[], { head: number }, AbortController] = [[], await log.state(), new AbortController()];
  await log.subscribe(
    0,
    async (batch) => {
      events.push(...batch);
      if ((batch.at(-1)?.position ?? 0) >= head) done.abort();
    },
    done.signal,
  );
  return events.filter(({ position }) => position <= head);
};

/** Writes the same events into an empty event store, including the name of the log. */
export const restoreEvents = (copy: readonly RecordedEvent[]): Promise<void> =>
  withLog(async (log) => {
    for (const { stream, revision, envelope, salt, content } of copy) {
      const event = salt === null || content === null ? { envelope, salt: null, content: null } : { envelope, salt, content };
      const { outcome } = await log.append(stream, [event], revision === 0 ? 'none' : revision - 1);
      if (outcome !== 'appended') throw new Error(`Revision ${revision} of ${stream} could not be restored.`);
    }
  });

/** Returns the reasons why a cluster is not ready. */
export const notReadyReasons = async ({ operatorUrl }: Cluster): Promise<readonly string[]> => {
  const answer = await fetch(`${operatorUrl}/readyz`, { headers: { Connection: 'close' } });
  return ((await answer.json()) as { missing?: readonly string[] }).missing ?? [];
};
