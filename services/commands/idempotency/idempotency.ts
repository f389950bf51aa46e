import { createHash, createHmac } from 'node:crypto';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import { requestStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, type Origin } from '@waymark/event-log/seal.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { badRequest, keyReused, requestStillRunning, unavailable } from '@waymark/http/errors.ts';
import { idempotencyKeyCharactersMax } from '@waymark/http/limits.ts';
import type { Body } from '@waymark/http/request/body.ts';
import { attemptsMax } from '../limits.ts';
import type { OriginOf } from '../origin.ts';
import { type ClaimContent, claimEvent, claimsFrom, type Decided, lastClaim, type StoredClaim } from './claim-events.ts';

/** The claim of a request: the id and the origin of its event, and the claim of its key. */
export type Claim = {
  /** The id of the event that the request appends. */
  readonly event: string;
  /** The origin of that event. */
  readonly origin: Origin;
  /** Undefined without an `Idempotency-Key`: the request then has no other run. */
  readonly key: KeyClaim | undefined;
};

/** The knowledge that one run of a request with an `Idempotency-Key` has of the other runs. */
export type KeyClaim = {
  /** The object of an earlier run of the same request. */
  readonly object: number | undefined;
  /** Another run may have appended the event after this revision of the object's stream; undefined as long as no other run knows the id of
   * the event. */
  readonly since: () => Revision | undefined;
  /** Stores the decision to append an event, before the event is appended. Only the first run stores it.
   * @param revision the last revision of the object's stream in the log */
  readonly take: (object: number, revision: Revision) => Promise<void>;
  /** Stores the decision that there is nothing to do, with the data of the response. Every run with that decision stores it.
   * @param revision the revision of the object's stream that was decided on */
  readonly storeNoOp: (object: number, revision: Revision, notAdded: readonly NotAdded[]) => Promise<NoOp>;
  /** Returns the no-op that a run has stored, as it is now in the log. */
  readonly noOp: () => Promise<NoOp | undefined>;
};

/** The stored result of a run that found nothing to do. */
export type NoOp = {
  /** The position of the claim that stores the no-op. */
  readonly position: Position;
  /** The revision of the object's stream that was decided on; the run had searched for the event up to this revision. */
  readonly revision: Revision;
  readonly notAdded: readonly NotAdded[];
};

/** A request with an `Idempotency-Key`. */
export type IdempotentRequest = {
  readonly call: Call;
  /** The canonical path in full, for every form in which a request may send it. */
  readonly path: string;
  readonly body: Body;
  /** Whether the request may find nothing to do. */
  readonly mayBeNoOp: boolean;
};

/** Runs a request once, however often it is sent with the same `Idempotency-Key`: a repeat gets the first 2xx response again. */
export type RunOnce = (request: IdempotentRequest, run: (claim: Claim) => Promise<Answer>) => Promise<Answer>;

export const createIdempotency = (log: EventLog, key: string, originOf: OriginOf): RunOnce => {
  const running = new Set<string>();
  return async (request, run) => {
    const given = request.call.request.headers['idempotency-key'];
    const origin = originOf(request.call);
    if (given === undefined) return run(noClaim(origin));
    const stream = streamOf(key, request, String(given));
    if (running.has(stream)) throw requestStillRunning();
    running.add(stream);
    try {
      return await claimed(log, stream, request, origin, run);
    } finally {
      running.delete(stream);
    }
  };
};

/** Returns a claim without a key, for requests that are safe to repeat or that have no key. */
export const noClaim = (origin: Origin): Claim => ({ event: newEventId(), origin, key: undefined });

const keyPattern = new RegExp(`^[\\x21-\\x7e]{1,${idempotencyKeyCharactersMax}}$`);

const streamOf = (key: string, { call, path }: IdempotentRequest, given: string): string => {
  if (!keyPattern.test(given)) {
    throw badRequest(`Idempotency-Key: 1 to ${idempotencyKeyCharactersMax} visible ASCII characters.`);
  }
  const text = `${call.access.application}\0${path}\0${given}`;
  return requestStream(createHmac('sha256', key).update(text).digest('hex'));
};

/** Another process has claimed the key in the meantime. */
class ClaimTaken extends Error {}

/** The stream of the claims of a request, and the data for new claims. */
type Claims = {
  readonly log: EventLog;
  readonly stream: string;
  readonly mayBeNoOp: boolean;
  readonly digest: string;
  readonly origin: Origin;
};

const claimed = async (
  log: EventLog,
  stream: string,
  { body, mayBeNoOp }: IdempotentRequest,
  origin: Origin,
  run: (claim: Claim) => Promise<Answer>,
): Promise<Answer> => {
  const digest = createHash('sha256').update(body.bytes).digest('base64url');
  const claims: Claims = { log, stream, mayBeNoOp, digest, origin };
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const last = await lastClaim(log, stream);
    if (last?.holds && last.digest !== digest) throw keyReused();
    try {
      return await run(last?.holds ? nextClaim(claims, last) : firstClaim(claims, last?.at.revision ?? 'none'));
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
    }
  }
  throw unavailable('Too many requests with this Idempotency-Key at once.');
};

/** Returns the claim of a run that follows an earlier one with a stored decision. */
const nextClaim = (claims: Claims, earlier: StoredClaim): Claim => ({
  event: earlier.event,
  origin: claims.origin,
  key: {
    object: earlier.object,
    since: () => earlier.revision,
    take: async () => undefined,
    storeNoOp: async (object, revision, notAdded) => {
      const { position } = await appendClaim(claims, { object, revision, notAdded, event: earlier.event }, earlier.at.revision);
      return { position, revision, notAdded };
    },
    noOp: () => noOpIn(claims, earlier.event, earlier.at.revision),
  },
});

/** Returns the claim of a first run.
 * @param last the last revision in the stream of claims: all claims up to it have expired */
const firstClaim = (claims: Claims, last: Revision): Claim => {
  const event = newEventId();
  let since: Revision | undefined;
  let expected = last;
  const store = async (decided: Decided): Promise<ClaimPlace> => {
    const place = await appendClaim(claims, { ...decided, event }, expected);
    since ??= decided.revision;
    expected = place.revision;
    return place;
  };
  return {
    event,
    origin: claims.origin,
    key: {
      object: undefined,
      since: () => since,
      take: async (object, revision) => {
        if (since === undefined) await store({ object, revision, notAdded: null });
      },
      storeNoOp: async (object, revision, notAdded) => {
        const { position } = await store({ object, revision, notAdded });
        return { position, revision, notAdded };
      },
      noOp: () => noOpIn(claims, event, expected === 'none' ? 0 : expected),
    },
  };
};

type ClaimPlace = StoredClaim['at'];

/** Appends a claim.
 * @throws ClaimTaken */
const appendClaim = async (
  { log, stream, digest, origin }: Claims,
  decided: Decided & Pick<ClaimContent, 'event'>,
  expected: Revision,
): Promise<ClaimPlace> => {
  const placed = await appendOnce(log, stream, [claimEvent({ ...decided, digest }, origin)], expected);
  if (placed.outcome === 'conflict') throw new ClaimTaken();
  return placed;
};

const noOpIn = async ({ log, stream, mayBeNoOp }: Claims, event: string, from: number): Promise<NoOp | undefined> => {
  if (!mayBeNoOp) return undefined;
  for (const { event: claimed, revision, notAdded, at } of await claimsFrom(log, stream, from)) {
    if (claimed === event && notAdded !== null) return { position: at.position, revision, notAdded };
  }
  return undefined;
};
