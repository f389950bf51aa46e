import type { NotAdded } from '@waymark/domain/list/events.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, type Origin, seal } from '@waymark/event-log/seal.ts';
import type { Answer } from '@waymark/http/call.ts';
import { unavailable } from '@waymark/http/problems.ts';
import { keyHoldsMs } from './limits.ts';

/** What was decided, before it is appended. */
export type Decided = {
  readonly object: number;
  /** Revision of the object's stream that was decided on. */
  readonly revision: Revision;
  /** Of a no-op: the ids that could not be added; the rest of its response follows from the request's body. Null: an event is to be appended. */
  readonly notAdded: readonly NotAdded[] | null;
};

export type ClaimContent = Decided & {
  /** Of the request's body. */
  readonly digest: string;
  /** Id of the event that the request appends. */
  readonly event: string;
};

/** As it stands in the log. */
export type StoredClaim = ClaimContent & {
  readonly at: { readonly revision: number; readonly position: Position };
  /** False once the key may be used again. */
  readonly holds: boolean;
};

const type = 'RequestClaimed';
const version = 2;

/** Version 1, of release 0.1.0, held the whole response of a no-op. */
type FirstContent = Omit<ClaimContent, 'notAdded'> & { readonly answer: Answer | null };

export const claimEvent = (content: ClaimContent, origin: Origin) =>
  seal({ id: newEventId(), type, version, content: JSON.stringify(content), account: '', origin, sanitized: false });

export const lastClaim = async (log: EventLog, stream: string): Promise<StoredClaim | undefined> => {
  const [revision = 'none'] = await log.last([stream]);
  return revision === 'none' ? undefined : (await claimsFrom(log, stream, revision))[0];
};

/** Claims of a stream from a revision on; of one request there are two at most.
 * @throws Problem 503 where a newer release has written one */
export const claimsFrom = async (log: EventLog, stream: string, from: number): Promise<readonly StoredClaim[]> => {
  const claims: StoredClaim[] = [];
  for (const { content, envelope, revision, position } of await log.read(stream, from)) {
    if (content === null) continue;
    if (envelope.version > version) throw unavailable(`This Idempotency-Key was claimed by release ${envelope.release}.`);
    const holds = Date.now() - Date.parse(envelope.time) < keyHoldsMs;
    claims.push({ ...contentOf(envelope.version, content), at: { revision, position }, holds });
  }
  return claims;
};

const contentOf = (written: number, text: string): ClaimContent => {
  if (written > 1) return JSON.parse(text);
  const { answer, ...content }: FirstContent = JSON.parse(text);
  return { ...content, notAdded: answer && notAddedIn(answer) };
};

/** What a whole response says of the ids that could not be added. */
const notAddedIn = ({ body = '' }: Answer): readonly NotAdded[] => {
  const { errors }: { errors: readonly { id: number; code: NotAdded['reason'] | 'invalid' }[] } = JSON.parse(body.toString());
  return errors.flatMap(({ id, code }) => (code === 'invalid' ? [] : [{ pinpoint: id, reason: code }]));
};
