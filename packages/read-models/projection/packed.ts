import type { RecordedEvent } from '@waymark/domain/event.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import type { Store } from './buffer.ts';
import type { Fact, Put } from './change.ts';
import { creationOf, isCreation, placed } from './creation.ts';
import { factOf, project } from './projection.ts';

/** The facts of events, after all work that needs no lookup, as one text and one array of numbers: one thread passes them to another without a copy
 * of thousands of objects. */
export type PackedEvents = {
  /** The number of events, with those that change no document. */
  readonly events: number;
  /** The texts of all facts, one after the other. */
  readonly texts: string;
  /** The numbers of all facts, one after the other; of each text its length. */
  readonly numbers: readonly number[];
};

/** The number in place of the index of a resource's kind, for a fact that is no creation. */
const other = -1;
/** The number in place of the id of a pinpoint, which is at least 1. An absent text has no characters. */
const absent = 0;

/** @throws NewerEvent */
export const packEvents = (events: readonly RecordedEvent[]): PackedEvents => {
  const numbers: number[] = [];
  const texts: string[] = [];
  const addTexts = (...added: readonly string[]): void => {
    for (const text of added) {
      numbers.push(text.length);
      texts.push(text);
    }
  };
  for (const event of events) {
    const fact = factOf(event);
    if (fact === undefined) continue;
    if (fact.event !== undefined && isCreation(fact.event)) {
      const { kind, document } = creationOf(fact.event, fact);
      numbers.push(resourceKinds.indexOf(kind), document.id, document.revision, document.pinpoint ?? absent);
      addTexts(document.account, document.text, document.file ?? '');
    } else {
      numbers.push(other, fact.revision);
      addTexts(fact.stream, fact.account, fact.type, fact.event === undefined ? '' : JSON.stringify(fact.event));
    }
  }
  return { events: events.length, texts: texts.join(''), numbers };
};

/** Creates a function that writes the changes of facts to a store. */
export const projectPacked =
  ({ lookup, write }: Store) =>
  (packed: PackedEvents): void =>
    unpack(packed, (fact) => {
      for (const change of 'stream' in fact ? project(fact, lookup) : placed(fact, lookup)) write(change);
    });

/** Calls `take` with each fact, in order: a creation as the document that it creates, any other fact as it is. */
const unpack = ({ texts, numbers }: PackedEvents, take: (fact: Put | Fact) => void): void => {
  let read = 0;
  let end = 0;
  const number = (): number => {
    read += 1;
    return numbers[read - 1] as number;
  };
  const text = (): string => {
    const start = end;
    end += number();
    return texts.slice(start, end);
  };
  while (read < numbers.length) {
    const kind = resourceKinds[number()];
    take(kind === undefined ? otherFact(number, text) : creation(kind, number, text));
  }
};

const creation = (kind: Put['kind'], number: () => number, text: () => string): Put => {
  const [id, revision, pinpoint] = [number(), number(), number() || null];
  const [account, prepared, file] = [text(), text(), text() || null];
  const document = { id, account, revision, shown: true, present: true, text: prepared, file, pinpoint };
  return { type: 'put', kind, document, before: undefined };
};

const otherFact = (number: () => number, text: () => string): Fact => {
  const revision = number();
  const [stream, account, type, event] = [text(), text(), text(), text()];
  return { stream, revision, account, type, event: event === '' ? undefined : JSON.parse(event) };
};
