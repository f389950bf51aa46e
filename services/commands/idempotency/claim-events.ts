import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { type Origin, sealHousekeeping } from '@waymark/event-log/seal.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { keyHoldsMs } from '../limits.ts';

/** A decision, before its event is appended. */
export type Decided = {
  readonly object: number;
  /** The revision of the object's stream that the decision is based on. */
  readonly revision: Revision;
  /** The ids that a no-op could not add; the rest of its response follows from the request's body. Null if an event is to be appended. */
  readonly notAdded: readonly NotAdded[] | null;
};

export type ClaimContent = Decided & {
  /** The digest of the request's body. */
  readonly digest: string;
  /** The id of the event that the request appends. */
  readonly event: string;
};

/** A claim as stored in the log. */
export type StoredClaim = ClaimContent & {
  readonly at: { readonly revision: number; readonly position: Position };
  /** False once the claim has expired: the key may be used again. */
  readonly holds: boolean;
};

const type = 'RequestClaimed';
const version = 2;

/** The content of `RequestClaimed`, version 2. Stored: never rename. */
type StoredContent = {
  readonly object: number;
  readonly revision: number | 'none';
  readonly notAdded: readonly StoredNotAdded[] | null;
  readonly event: string;
  readonly digest: string;
};
type StoredNotAdded = { readonly pinpoint: number; readonly reason: 'not_found' | 'limit' };

/** The content of version 1, written by release 0.1.0, with the whole response of a no-op. Stored: never rename. */
type StoredFirstContent = Omit<StoredContent, 'notAdded'> & { readonly answer: { readonly body?: string } | null };
type StoredFirstBody = { readonly errors: readonly { readonly id: number; readonly code: StoredNotAdded['reason'] | 'invalid' }[] };

const toStored = (content: ClaimContent): StoredContent => ({
  object: content.object,
  revision: content.revision,
  notAdded: content.notAdded?.map((one) => ({ pinpoint: one.pinpoint, reason: one.reason })) ?? null,
  event: content.event,
  digest: content.digest,
});

const fromStored = (stored: StoredContent): ClaimContent => ({
  object: stored.object,
  revision: stored.revision,
  notAdded: stored.notAdded?.map((one) => ({ pinpoint: one.pinpoint, reason: one.reason })) ?? null,
  event: stored.event,
  digest: stored.digest,
});

export const claimEvent = (content: ClaimContent, origin: Origin) =>
  sealHousekeeping({ type, version, content: toStored(content), origin });

/** @throws HttpError 503 if a newer release has written it */
export const lastClaim = async (log: EventLog, stream: string): Promise<StoredClaim | undefined> => {
  const { event } = await readEnd(log, stream);
  return event && claimIn(event);
};

/** Returns the claims of a stream from a revision on; one request has at most two.
 * @throws HttpError 503 if a newer release has written one of them */
export const claimsFrom = async (log: EventLog, stream: string, from: number): Promise<readonly StoredClaim[]> =>
  (await log.read(stream, from)).flatMap((event) => claimIn(event) ?? []);

/** Returns the claim in an event; undefined if it was erased. */
const claimIn = ({ content, envelope, revision, position }: RecordedEvent): StoredClaim | undefined => {
  if (content === null) return undefined;
  if (envelope.version > version) throw unavailable(`This Idempotency-Key was claimed by release ${envelope.release}.`);
  const holds = Date.now() - Date.parse(envelope.time) < keyHoldsMs;
  return { ...contentOf(envelope.version, content), at: { revision, position }, holds };
};

const contentOf = (written: number, text: string): ClaimContent => {
  if (written > 1) return fromStored(JSON.parse(text));
  const { answer, ...content }: StoredFirstContent = JSON.parse(text);
  return fromStored({ ...content, notAdded: answer && notAddedIn(answer.body ?? '') });
};

/** Reads the ids that could not be added from a whole response. */
const notAddedIn = (body: string): readonly StoredNotAdded[] => {
  const { errors }: StoredFirstBody = JSON.parse(body);
  return errors.flatMap(({ id, code }) => (code === 'invalid' ? [] : [{ pinpoint: id, reason: code }]));
};
