import type { DomainEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { unavailable } from '@waymark/http/errors.ts';

/** The revisions from which an event takes its values. */
export type ValueSources = {
  /** The revision that set each field. */
  readonly origins: Readonly<Record<string, number>>;
  /** The revisions of the events that are undone. */
  readonly undone: readonly number[];
};

/** Confirms that the log has all values of an event at the revisions that the history names, and has not erased them. An intruder may have
 * changed the history without being able to change the log.
 * @throws HttpError 503 if it does not, LogUnavailable */
export const confirmValues = async (
  { read }: Pick<EventLog, 'read'>,
  stream: string,
  fact: DomainEvent,
  { origins, undone }: ValueSources,
): Promise<void> => {
  const factAt = async (revision: number): Promise<DomainEvent | undefined> => {
    const [event] = await read(stream, revision);
    return event?.revision === revision ? decode(event) : undefined;
  };
  if ('fields' in fact && fact.fields !== null) {
    const values: Readonly<Record<string, unknown>> = fact.fields;
    const byRevision = Map.groupBy(Object.keys(values), (name) => origins[name] ?? -1);
    for (const [revision, names] of byRevision) {
      const source = revision < 0 ? {} : fieldsOf(await factAt(revision));
      if (!names.every((name) => JSON.stringify(source[name]) === JSON.stringify(values[name]))) throw otherThanLog();
    }
  }
  if (fact.type === 'PinpointsAdded' || fact.type === 'PinpointsRemoved') {
    const named = new Set((await Promise.all(undone.map(factAt))).flatMap(pinpointsOf));
    if (!fact.pinpoints.every((id) => named.has(id))) throw otherThanLog();
  }
};

const fieldsOf = (fact: DomainEvent | undefined): Readonly<Record<string, unknown>> =>
  fact !== undefined && 'fields' in fact && fact.fields !== null ? fact.fields : {};

const pinpointsOf = (fact: DomainEvent | undefined): readonly number[] => (fact !== undefined && 'pinpoints' in fact ? fact.pinpoints : []);

const otherThanLog = () => unavailable('The history is not what the event log says.');
