import type { IncomingMessage } from 'node:http';
import { createCache } from '@waymark/caches/cache.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { LaterActivityQuestion, Reply } from '@waymark/history/reading/questions.ts';
import type { BodyWriter, Call, Handler } from '@waymark/http/call.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { createBatches } from '@waymark/timing/batches.ts';
import { filtersIn } from '../activity.ts';
import { queryOf } from '../cursors.ts';
import { streamBeginningsMax, streamBehindBytesMax, streamEntries, streamsMax } from '../limits.ts';
import type { AuditorOptions } from '../options.ts';
import { createEventIds } from './event-ids.ts';
import { begin, type LaterPart, type Reader, type StreamQuestion } from './reader.ts';
import { takeSlot } from './slots.ts';
import { createStreams } from './streams.ts';

const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no', Connection: 'close' } as const;
const route = '/audit/v1/activity/stream';

/** Returns the handler that streams what happens in an account. */
export const activityStream = (options: AuditorOptions): Handler => {
  const { source, authenticate, amounts, closing, keys, incarnation } = options.streams;
  const ids = createEventIds(keys, incarnation);
  const streams = createStreams({ source, closing });
  const firstPart = createFirstParts(options.ask);

  const open = async (call: Call, after: Position | null, openWriter: () => BodyWriter): Promise<void> => {
    const { request, access } = call;
    const { account } = access;
    const release = takeSlot(amounts, access.application);
    try {
      const question = questionOf(call, options);
      const first = await firstPart({ ...question, after });
      const reader: Reader = {
        ...{ question, writer: openWriter(), after: after ?? first.through },
        access: () => authenticate(request.headers.authorization, { request, route }),
        idOf: (position) => ids.seal(account, position),
        ...{ seen: -1, isLive: false, writtenMs: performance.now() },
      };
      begin(reader, first);
      await streams.feed(reader);
    } finally {
      release();
    }
  };
  return (call) => {
    const after = placeIn(call.request, (id) => ids.open(call.access.account, id));
    questionOf(call, options);
    if (closing()) throw unavailable('The process is shutting down.');
    return { status: 200, headers, body: { behindBytesMax: streamBehindBytesMax, write: (writer) => open(call, after, writer) } };
  };
};

/** @throws HttpError 400 */
const questionOf = ({ url, access }: Call, options: AuditorOptions): StreamQuestion => ({
  type: 'later-activity',
  account: access.account,
  base: options.base,
  ...filtersIn(queryOf(url), options),
  limit: streamEntries,
});

/** Returns the place after which a client asks to continue; null: from now on. */
const placeIn = ({ headers: { 'last-event-id': id } }: IncomingMessage, open: (id: string) => Position): Position | null =>
  id === undefined ? null : open(`${id}`);

/** Creates the function that reads first parts, once the history has every write that was acknowledged before. Streams that begin with the
 * same question at the same time share one. An account for which the history is behind does not delay the streams of others. */
const createFirstParts = (
  ask: (question: LaterActivityQuestion) => Promise<Reply>,
): ((question: LaterActivityQuestion) => Promise<LaterPart>) => {
  const read = async (keys: readonly string[]): Promise<ReadonlyMap<string, Reply>> =>
    new Map(await Promise.all(keys.map(async (key) => [key, await ask(JSON.parse(key))] as const)));
  const tooMany = (): Error => new HistoryUnavailable('Too many streams begin at once.');
  const limits = { keysMax: 1, inProgressMax: streamBeginningsMax, waitingMax: streamsMax };
  const ofAccounts = createCache<string, (key: string) => Promise<Reply | undefined>>(streamsMax);
  return async (question) => {
    const parts = ofAccounts.get(question.account) ?? createBatches(limits, read, tooMany);
    ofAccounts.set(question.account, parts);
    const part = await parts(JSON.stringify(question));
    if (part?.outcome !== 'later-part') throw new Error(`"${part?.outcome}" is no part of a stream`);
    return part;
  };
};
