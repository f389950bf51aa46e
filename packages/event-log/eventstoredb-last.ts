import { BACKWARDS, END } from '@eventstore/db-client';
import type { EventLog, Revision } from './event-log.ts';
import type { Reading } from './eventstoredb-calls.ts';
import { checkStream, whole } from './eventstoredb-events.ts';
import { lookUpsMax } from './eventstoredb-limits.ts';

/** Looks at the ends of streams, few at a time; a look that has not begun yet serves everybody who asks for it. */
export const lookingUp = (read: Reading): { readonly last: EventLog['last']; readonly lastOf: (stream: string) => Promise<Revision> } => {
  const waiting = new Map<string, PromiseWithResolvers<Revision>>();
  let busy = 0;

  const begin = (): void => {
    while (busy < lookUpsMax) {
      const [next] = waiting;
      if (next === undefined) return;
      const [stream, { resolve, reject }] = next;
      waiting.delete(stream);
      busy += 1;
      endOf(read, stream)
        .then(resolve, reject)
        .finally(() => {
          busy -= 1;
          begin();
        });
    }
  };

  const lastOf = (stream: string): Promise<Revision> => {
    checkStream(stream);
    const found = waiting.get(stream);
    if (found) return found.promise;
    const look = Promise.withResolvers<Revision>();
    if (waiting.size === 0) setImmediate(begin);
    waiting.set(stream, look);
    return look.promise;
  };

  return { lastOf, last: async (streams) => Promise.all(streams.map(lastOf)) };
};

const endOf = async (read: Reading, stream: string): Promise<Revision> => {
  const [end] = await read((client) =>
    client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true }),
  );
  return end?.event === undefined ? 'none' : whole(end.event.revision);
};
