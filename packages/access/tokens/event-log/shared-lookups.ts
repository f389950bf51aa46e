import { tokenStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { looksMax } from '../limits.ts';

type Look = { readonly streams: Set<string>; readonly answer: Promise<ReadonlyMap<string, Revision>> };

/** Creates a function that returns the present last revision of a token's stream. All calls in one turn of the event loop share one query.
 * @throws LogUnavailable */
export const createSharedLookups = (log: EventLog): ((hash: string) => Promise<Revision>) => {
  let open: Look | undefined;

  const begin = (): Look => {
    const streams = new Set<string>();
    const look: Look = {
      streams,
      answer: new Promise(setImmediate).then(async () => {
        if (open === look) open = undefined;
        const names = [...streams];
        const revisions = await log.lastRevisions(names);
        return new Map(names.map((name, index) => [name, revisions[index] ?? 'none']));
      }),
    };
    return look;
  };

  return async (hash) => {
    const stream = tokenStream(hash);
    const look = open ?? begin();
    look.streams.add(stream);
    open = look.streams.size < looksMax ? look : undefined;
    return (await look.answer).get(stream) ?? 'none';
  };
};
