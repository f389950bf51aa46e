import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { erasedBefore, type Redaction, redactionOf } from '@waymark/domain/redaction.ts';
import type { EventLog } from '../event-log.ts';
import { readEvents } from '../read-stream.ts';
import { NotErasable } from './erasure-summary.ts';

/** The stream of an object, as far as an erasure has read it. */
export type StreamRead = {
  /** The event that completes an erasure of everything that the stream had when it was read first. Undefined if there is none yet. */
  readonly erased: RecordedEvent | undefined;
  readonly last: RecordedEvent;
};

export type StreamReader = {
  readonly redaction: Redaction;
  /** Reads all events that were appended since the last call, from the first one on, and adds them to the redaction.
   * @throws NotErasable if there are no events, LogUnavailable */
  readonly readOn: () => Promise<StreamRead>;
};

/** Events that are processed before other requests get the thread. Each may name a thousand members. */
const eventsPerTurn = 20;

/** Reads an object's stream for its erasure.
 * @throws NotErasable if the stream is not the stream of an object */
export const createStreamReader = (read: EventLog['read'], stream: string): StreamReader => {
  const redaction = redactionOf(stream);
  if (redaction === undefined) throw new NotErasable(`${stream} is not the stream of an object.`);
  const completion = createCompletion();
  let last: RecordedEvent | undefined;
  const readOn = async (): Promise<StreamRead> => {
    const isFirstRead = last === undefined;
    for await (const event of readEvents(read, stream, (last?.revision ?? -1) + 1)) {
      redaction.add(event);
      completion.add(event, isFirstRead);
      last = event;
      if ((event.revision + 1) % eventsPerTurn === 0) await nextTurn();
    }
    if (last === undefined) throw new NotErasable(`${stream} has no events.`);
    return { erased: completion.erased(), last };
  };
  return { redaction, readOn };
};

/** Finds the event that completes an erasure of everything that the stream had when it was read first. This process or another one appended it.
 * Pieces need no erasure: they only repeat the state. */
const createCompletion = () => {
  let erased: RecordedEvent | undefined;
  let lastToErase = -1;
  return {
    add: (event: RecordedEvent, isFirstRead: boolean): void => {
      const isToErase = isFirstRead && event.envelope.type !== 'ListMembersRestated';
      const before = erasedBefore(event);
      if (before !== undefined && lastToErase < before) erased = event;
      else if (isToErase) erased = undefined;
      if (isToErase) lastToErase = event.revision;
    },
    erased: (): RecordedEvent | undefined => erased,
  };
};
