import { resourceKinds } from '@waymark/domain/streams.ts';
import type { KnownFacts, LogFacts } from './facts.ts';

type StoredIds = { readonly pinpoint: number; readonly list: number; readonly category: number; readonly happening: number };

/** `LogFacts` in the file `log-facts.json`. Stored: never rename. */
export type StoredLogFacts = {
  readonly incarnation: string;
  readonly head: number;
  readonly event: string;
  readonly ids: StoredIds;
};

/** `KnownFacts` in Redis, in MongoDB and in a header of Kafka's records. Stored, sent and signed: never rename, and keep the order. */
export type StoredKnownFacts = {
  readonly incarnation: string;
  readonly head: number;
  readonly event: string;
  readonly stream: string;
  readonly revision: number;
  readonly ids: StoredIds;
};

export const toStoredLogFacts = (facts: LogFacts): StoredLogFacts => ({
  incarnation: facts.incarnation,
  head: facts.head,
  event: facts.event,
  ids: toStoredIds(facts.ids),
});

export const toStoredKnownFacts = (facts: KnownFacts): StoredKnownFacts => ({
  incarnation: facts.incarnation,
  head: facts.head,
  event: facts.event,
  stream: facts.stream,
  revision: facts.revision,
  ids: toStoredIds(facts.ids),
});

/** Returns the facts in a parsed text; undefined where it holds none. */
export const fromStoredLogFacts = (stored: unknown): LogFacts | undefined =>
  isStoredLogFacts(stored)
    ? { incarnation: stored.incarnation, head: stored.head, event: stored.event, ids: fromStoredIds(stored.ids) }
    : undefined;

/** Returns the facts in a parsed text; undefined where it holds none. */
export const fromStoredKnownFacts = (stored: unknown): KnownFacts | undefined =>
  isStoredKnownFacts(stored)
    ? {
        incarnation: stored.incarnation,
        head: stored.head,
        event: stored.event,
        stream: stored.stream,
        revision: stored.revision,
        ids: fromStoredIds(stored.ids),
      }
    : undefined;

const toStoredIds = (ids: LogFacts['ids']): StoredIds => ({
  pinpoint: ids.pinpoint,
  list: ids.list,
  category: ids.category,
  happening: ids.happening,
});

const fromStoredIds = (stored: StoredIds): LogFacts['ids'] => ({
  pinpoint: stored.pinpoint,
  list: stored.list,
  category: stored.category,
  happening: stored.happening,
});

const isStoredLogFacts = (value: unknown): value is StoredLogFacts =>
  isObject(value) && isText(value['incarnation']) && isText(value['event']) && isCount(value['head']) && areStoredIds(value['ids']);

const isStoredKnownFacts = (value: unknown): value is StoredKnownFacts =>
  isStoredLogFacts(value) && 'stream' in value && isText(value.stream) && 'revision' in value && isCount(value.revision);

const areStoredIds = (value: unknown): boolean => isObject(value) && resourceKinds.every((kind) => isCount(value[kind]));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
