import { createCache } from '@waymark/caches/cache.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import type { PinpointAvailability } from '@waymark/domain/happening/commands.ts';
import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import { type EventLog, readEventsMax } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { type Document, happeningsPerPinpointMax } from '@waymark/read-models/read-models.ts';
import { categoriesCachedMax } from '../limits.ts';
import { type Stores, unlessUnavailable } from './load.ts';
import type { Owners } from './owners.ts';

/** Queries of other objects that a decision needs. They read the read models, and the log if the read models do not have the object. */
export type Lookups = {
  /** Whether the account has this category. Categories are never deleted, so that a category that was found is not queried again. */
  readonly hasCategory: (account: string, category: number) => Promise<boolean>;
  readonly placeAt: (account: string, pinpoint: number) => Promise<PinpointAvailability>;
  /** Whether a pinpoint exists, in any account. */
  readonly pinpointExists: (pinpoint: number) => Promise<boolean>;
  /** Returns an object that exists, together with every object that it depends on; undefined if there is none. */
  readonly living: (kind: ResourceKind, id: number) => Promise<Living | undefined>;
};

export type Living = {
  readonly account: string;
  /** The document of the read models; undefined if only the log has the object. */
  readonly document: Document | undefined;
};

/** Creates the lookups.
 * @param owners given if the owner of an object must be confirmed by the log instead of the read models */
export const createLookups = (stores: Stores, owners?: Owners): Lookups => {
  const categoryOwners = createCache<number, string>(categoriesCachedMax);

  const find = (kind: ResourceKind, id: number) => unlessUnavailable(stores.models.find(kind, id), undefined);

  const living = async (kind: ResourceKind, id: number): Promise<Living | undefined> => {
    if (!Number.isSafeInteger(id) || id < 1) return undefined;
    const document = await find(kind, id);
    if (document !== undefined) return document.shown ? { account: document.account, document } : undefined;
    const account = await ownerInLog(stores.log, kind, id);
    return account === undefined ? undefined : { account, document };
  };

  const owner = async (kind: ResourceKind, id: number): Promise<string | undefined> => (await living(kind, id))?.account;

  return {
    hasCategory: async (account, category) => {
      const known = categoryOwners.get(category) ?? (await owner('category', category));
      if (known !== undefined) categoryOwners.set(category, known);
      return known === account;
    },
    placeAt: async (account, pinpoint) => {
      const found = await living('pinpoint', pinpoint);
      if (found?.account !== account) return 'unknown';
      const confirming = owners?.confirm(resourceStream('pinpoint', pinpoint), account);
      if (confirming) await confirming;
      return (found.document?.happenings ?? 0) >= happeningsPerPinpointMax ? 'full' : 'present';
    },
    pinpointExists: async (pinpoint) => (await owner('pinpoint', pinpoint)) !== undefined,
    living,
  };
};

/** Returns the account of an existing object from the last event of its stream. */
export const ownerInLog = async (log: EventLog, kind: ResourceKind, id: number): Promise<string | undefined> => {
  const event = await lastBeforePieces(log, resourceStream(kind, id));
  return event === undefined || isDeletion(event) ? undefined : event.envelope.account;
};

/** Returns the last event of a stream. The pieces of an erasure that has not ended are left out: they do not show whether the object is deleted. */
const lastBeforePieces = async (log: EventLog, stream: string): Promise<RecordedEvent | undefined> => {
  let { event: last } = await readEnd(log, stream);
  while (last !== undefined && isPiece(last) && last.revision > 0) {
    const { revision } = last;
    const events = await log.read(stream, Math.max(0, revision - readEventsMax + 1));
    last = events.findLast((event) => event.revision < revision && !isPiece(event)) ?? events[0];
  }
  return last;
};

const isPiece = ({ envelope }: RecordedEvent): boolean => envelope.type === 'ListMembersRestated';

/** Whether the object is deleted after an event. */
const isDeletion = (event: RecordedEvent): boolean => {
  const { type } = event.envelope;
  if (!type.endsWith('Redacted')) return type.endsWith('Deleted');
  const fact = decode(event);
  return fact !== undefined && 'fields' in fact && fact.fields === null;
};
