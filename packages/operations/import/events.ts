import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode, NewerEvent } from '@waymark/domain/event-types.ts';
import { isStoredEvent } from '@waymark/domain/recorded-event.ts';
import { fromStoredEvent } from '@waymark/domain/stored-event.ts';
import { isHistory, resourceOfStream } from '@waymark/domain/streams.ts';
import { isAltered } from '@waymark/event-log/seal.ts';
import { badRequest, conflict } from '@waymark/http/errors.ts';
import { runCharactersMax, runEventsMax } from './limits.ts';
import type { Ranges } from './stored-facts.ts';

/** Consecutive events of one stream. */
export type Run = {
  readonly stream: string;
  /** The revision of the first event. */
  readonly from: number;
  readonly events: readonly RecordedEvent[];
};

/** Splits events into runs to append: in their order, with consecutive events of one stream together.
 * @throws HttpError 400 if one of them is not a valid event, 409 if one cannot be accepted */
export const splitIntoRuns = (events: readonly unknown[], ranges: Ranges): readonly Run[] => {
  const runs: { stream: string; from: number; events: RecordedEvent[]; characters: number }[] = [];
  for (const value of events) {
    const event = checked(value, ranges);
    checkFact(event);
    const characters = event.content?.length ?? 0;
    let run = runs.at(-1);
    const goesOn =
      run?.stream === event.stream &&
      run.from + run.events.length === event.revision &&
      run.events.length < runEventsMax &&
      run.characters + characters <= runCharactersMax;
    if (run === undefined || !goesOn) {
      run = { stream: event.stream, from: event.revision, events: [], characters: 0 };
      runs.push(run);
    }
    run.events.push(event);
    run.characters += characters;
  }
  return runs;
};

const checked = (value: unknown, ranges: Ranges): RecordedEvent => {
  if (!isStoredEvent(value) || !isHistory(value.stream) || value.envelope.account === '') throw badRequest('events: not all are events');
  const event = fromStoredEvent(value);
  const { stream, revision, salt, content, envelope } = event;
  const place = `${stream}, revision ${revision}`;
  if ((salt === null) !== (content === null)) throw badRequest(`${place}: of salt and content only one was erased`);
  if (isAltered(event, envelope.commitment)) {
    throw badRequest(`${place}: the content does not match its commitment`);
  }
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(envelope.id)) throw badRequest(`${place}: the event id is not a UUID`);
  const object = resourceOfStream(stream);
  if (object === undefined && !/^(application|account|changeset|orders|undo)-[\w.~-]{1,100}$/.test(stream))
    throw badRequest(`${place}: the name of the stream is not valid`);
  if (object) {
    const { floor, through } = ranges[object.resource];
    if (object.id <= floor) throw conflict(`The cluster may have given out ${stream} itself: it has content of its own.`);
    if (object.id > through) throw badRequest(`${place}: the id is above the reserved ids`);
  }
  return event;
};

const checkFact = (event: RecordedEvent): void => {
  if (known(event) === undefined && event.content !== null) {
    throw badRequest(`${event.stream}, revision ${event.revision}: the content contradicts its type, its stream or its account`);
  }
};

const known = (event: RecordedEvent): DomainEvent | undefined => {
  try {
    return decode(event);
  } catch (error) {
    throw error instanceof NewerEvent ? conflict(error.message) : error;
  }
};
