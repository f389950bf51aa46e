import { tokenStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { lookupStreamsMax } from '../limits.ts';

type Lookup = { readonly streams: Set<string>; readonly answer: Promise<ReadonlyMap<string, Revision>> };

/** Creates a function that returns the present last revision of a token's stream. All calls in one turn of the event loop share one query.
 * @throws LogUnavailable */
export const createSharedLookups = (log: EventLog): ((hash: string) => Promise<Revision>) => {
  let open: Lookup | undefined;

  const begin = (): Lookup => {
    const streams = new Set<string>();
    const lookup: Lookup = {
      streams,
      answer: new Promise(setImmediate).then(async () => {
        if (open === lookup) open = undefined;
        const names = [...streams];
        const revisions = await log.lastRevisions(names);
        return new Map(names.map((name, index) => [name, revisions[index] ?? 'none']));
      }),
    };
    return lookup;
  };

  return async (hash) => {
    const stream = tokenStream(hash);
    const lookup = open ?? begin();
    lookup.streams.add(stream);
    open = lookup.streams.size < lookupStreamsMax ? lookup : undefined;
    return (await lookup.answer).get(stream) ?? 'none';
  };
};
