import { BACKWARDS, END } from '@eventstore/db-client';
import type { EventLog, Revision } from '../event-log.ts';
import type { LogReads } from './calls.ts';
import { checkStream, fromStoredEvent, toSafeInteger } from './events.ts';
import { concurrentReadsMax } from './limits.ts';

export type LastRevisions = Pick<EventLog, 'lastRevisions' | 'owners'> & { readonly lastOf: (stream: string) => Promise<Revision> };

/** Reads the last events of streams, a few at a time. A read that has not started yet serves every caller that needs it. */
export const createLastRevisions = (read: LogReads): LastRevisions => {
  const waiting = new Map<string, PromiseWithResolvers<End>>();
  let busy = 0;

  const begin = (): void => {
    while (busy < concurrentReadsMax) {
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

  const readEnd = (stream: string): Promise<End> => {
    checkStream(stream);
    const found = waiting.get(stream);
    if (found) return found.promise;
    const wanted = Promise.withResolvers<End>();
    if (waiting.size === 0) setImmediate(begin);
    waiting.set(stream, wanted);
    return wanted.promise;
  };
  const lastOf = async (stream: string): Promise<Revision> => revisionOf(await readEnd(stream));

  return {
    lastOf,
    lastRevisions: async (streams) => Promise.all(streams.map(lastOf)),
    owners: async (streams) => Promise.all(streams.map(async (stream) => ownerOf(await readEnd(stream)))),
  };
};

type End = Awaited<ReturnType<typeof endOf>>;

/** Returns the last event of a stream.
 * @throws LogUnavailable */
export const endOf = async (read: LogReads, stream: string) => {
  const [end] = await read((client) =>
    client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true }),
  );
  return end?.event;
};

const revisionOf = (end: End): Revision => (end === undefined ? 'none' : toSafeInteger(end.revision));

const ownerOf = (end: End): string | undefined => end && fromStoredEvent(end)?.envelope.account;
