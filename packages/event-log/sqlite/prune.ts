import { dryUndoStream, refusalsPrefix, requestStream, undoingStream } from '@waymark/domain/streams.ts';
import type { OpenLog } from './appends.ts';
import type { Expiring } from './messages.ts';

/** How many streams one step checks. The limit keeps appends from waiting long. */
const pruneStreamsMax = 500;

const prefixes: Readonly<Record<Expiring, string>> = {
  claims: requestStream(''),
  refusals: refusalsPrefix,
  'dry-runs': dryUndoStream(''),
  notes: undoingStream(''),
};

/** How many streams a step dropped, and where the next step begins, if there are more to check. */
export type PruneStep = { readonly dropped: number; readonly next: string | undefined };

/** Runs one step through the streams of a kind: drops whole streams whose last event is older than `before`. The log's last event stays, so
 * that its head never moves back. */
export const pruneStep = ({ db }: OpenLog, kind: Expiring, before: string, from: string): PruneStep => {
  const prefix = prefixes[kind];
  const streams = db.prepare<[string, string, string, number], LookRow>(look);
  const drop = db.prepare<[string]>('delete from event where stream = ?');
  const step = db.transaction(() => {
    const seen = streams.all(before, from || prefix, `${prefix.slice(0, -1)}.`, pruneStreamsMax);
    const expired = seen.filter((row) => row.expired === 1);
    for (const { stream } of expired) drop.run(stream);
    return { dropped: expired.length, next: seen.length === pruneStreamsMax ? seen.at(-1)?.stream : undefined };
  });
  return step.immediate();
};

/** A row of the query `look`, with the names of its columns. */
type LookRow = { readonly stream: string; readonly expired: 0 | 1 };

const look = `
  select stream, (
    select event.envelope ->> '$.time' < ? and event.position < (select max(position) from event)
    from event where event.stream = seen.stream and event.revision = seen.last
  ) as expired
  from (
    select stream, max(revision) as last from event where stream > ? and stream < ? group by stream order by stream limit ?
  ) as seen`;
