import { resourceStream } from '@waymark/domain/streams.ts';
import { nextRevision, type Revision } from '@waymark/event-log/event-log.ts';
import { sealFact, waymark } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { createMix, type Mixed } from './mix.ts';

/** The number of appends that are sent together. */
const together = 1_000;

/** Writes a log with a mix of events into a new file. */
export const writeLog = async (file: string, events: number): Promise<void> => {
  const log = await openSqliteEventLog({ file });
  const revisions: Record<string, Revision> = {};
  const append = async ({ account, kind, id, event }: Mixed): Promise<void> => {
    const stream = resourceStream(kind, id);
    const expected = revisions[stream] ?? 'none';
    revisions[stream] = nextRevision(expected);
    await log.append(stream, [sealFact(event, { account, origin: waymark })], expected);
  };
  const next = createMix();
  for (let left = events; left > 0; left -= together) {
    await Promise.all(Array.from({ length: Math.min(together, left) }, () => append(next())));
  }
  await log.close();
};
