import { createHash, createHmac } from 'node:crypto';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import { requestStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, type Origin } from '@waymark/event-log/seal.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { badRequest, keyReused, requestStillRunning, unavailable } from '@waymark/http/errors.ts';
import { idempotencyKeyCharactersMax } from '@waymark/http/limits.ts';
import type { Body } from '@waymark/http/request/body.ts';
import { appendOne } from '../execution/append.ts';
import { attemptsMax } from '../limits.ts';
import { type ClaimContent, claimEvent, claimsFrom, type Decided, lastClaim, type StoredClaim } from './claim-events.ts';

/** What the event of a request is tied to. */
export type Claim = {
  /** Id of the event that the request appends. */
  readonly event: string;
  /** Undefined without an `Idempotency-Key`: no other run of the request exists then. */
  readonly key: KeyClaim | undefined;
};

/** What one run of a request with an `Idempotency-Key` knows of the others. */
export type KeyClaim = {
  /** The object that an earlier run of the same request was about. */
  readonly object: number | undefined;
  /** Another run may have appended the event after this revision of the object's stream; undefined as long as none knows the event's id. */
  readonly since: () => Revision | undefined;
  /** Says what was decided, before it is appended. Only the first run says that; but a no-op, whichever run decides it, leaves its response.
   * @returns of a no-op, what it has left */
  readonly take: (decided: Decided) => Promise<NoOp | undefined>;
  /** The no-op that a run has left, as the log has it now. */
  readonly noOp: () => Promise<NoOp | undefined>;
};

/** A run has found nothing to do, and has left what its response says. */
export type NoOp = {
  /** Of the claim that says so. */
  readonly position: Position;
  /** Of the object's stream, decided on; the run had looked for the event up to there. */
  readonly revision: Revision;
  readonly notAdded: readonly NotAdded[];
};

/** A request with an `Idempotency-Key`. */
export type IdempotentRequest = {
  readonly call: Call;
  /** The canonical path below `/v3.0`, in whichever form the request had it. */
  readonly path: string;
  readonly body: Body;
  /** Whether it may find nothing to do. */
  readonly mayBeNoOp: boolean;
};

/** Runs a request once, however often it is sent with the same `Idempotency-Key`: a repeat gets the first 2xx again. */
export type RunOnce = (request: IdempotentRequest, run: (claim: Claim) => Promise<Answer>) => Promise<Answer>;

export const createIdempotency = (log: EventLog, key: string): RunOnce => {
  const running = new Set<string>();
  return async (request, run) => {
    const given = request.call.request.headers['idempotency-key'];
    if (given === undefined) return run(noClaim());
    const stream = streamOf(key, request, String(given));
    if (running.has(stream)) throw requestStillRunning();
    running.add(stream);
    try {
      return await claimed(log, stream, request, run);
    } finally {
      running.delete(stream);
    }
  };
};

/** For requests that may be repeated without harm, or that no key ties together. */
export const noClaim = (): Claim => ({ event: newEventId(), key: undefined });

export const originOf = ({ access, requestId }: Call): Origin => ({
  actor: access.application,
  token: access.token,
  request: requestId,
});

const keyPattern = new RegExp(`^[\\x21-\\x7e]{1,${idempotencyKeyCharactersMax}}$`);

const streamOf = (key: string, { call, path }: IdempotentRequest, given: string): string => {
  if (!keyPattern.test(given)) {
    throw badRequest(`Idempotency-Key: 1 to ${idempotencyKeyCharactersMax} visible ASCII characters.`);
  }
  const text = `${call.access.application}\0/v3.0${path}\0${given}`;
  return requestStream(createHmac('sha256', key).update(text).digest('hex'));
};

/** Another process has claimed the key meanwhile. */
class ClaimTaken extends Error {}

/** Where the claims of a request are, and how it adds to them. */
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
  { call, body, mayBeNoOp }: IdempotentRequest,
  run: (claim: Claim) => Promise<Answer>,
): Promise<Answer> => {
  const digest = createHash('sha256').update(body.bytes).digest('base64url');
  const claims: Claims = { log, stream, mayBeNoOp, digest, origin: originOf(call) };
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

/** Of a run that an earlier one has said something to. */
const nextClaim = (claims: Claims, earlier: StoredClaim): Claim => ({
  event: earlier.event,
  key: {
    object: earlier.object,
    since: () => earlier.revision,
    take: async (decided) =>
      decided.notAdded === null ? undefined : noOpOf(await said(claims, { ...decided, event: earlier.event }, earlier.at.revision)),
    noOp: () => noOpIn(claims, earlier.event, earlier.at.revision),
  },
});

/** @param last revision of the stream of claims: what stands there is over */
const firstClaim = (claims: Claims, last: Revision): Claim => {
  const event = newEventId();
  let since: Revision | undefined;
  let expected = last;
  return {
    event,
    key: {
      object: undefined,
      since: () => since,
      take: async (decided) => {
        if (since !== undefined && decided.notAdded === null) return undefined;
        const claim = await said(claims, { ...decided, event }, expected);
        since ??= decided.revision;
        expected = claim.at.revision;
        return noOpOf(claim);
      },
      noOp: () => noOpIn(claims, event, expected === 'none' ? 0 : expected),
    },
  };
};

type Said = Pick<StoredClaim, 'at' | 'revision' | 'notAdded'>;

/** @throws ClaimTaken */
const said = async (
  { log, stream, digest, origin }: Claims,
  decided: Decided & Pick<ClaimContent, 'event'>,
  expected: Revision,
): Promise<Said> => {
  const placed = await appendOne(log, stream, claimEvent({ ...decided, digest }, origin), expected);
  if (placed.outcome === 'conflict') throw new ClaimTaken();
  return { ...decided, at: placed.outcome === 'found' ? placed.event : placed };
};

const noOpIn = async ({ log, stream, mayBeNoOp }: Claims, event: string, from: number): Promise<NoOp | undefined> => {
  if (!mayBeNoOp) return undefined;
  const claims = await claimsFrom(log, stream, from);
  const found = claims.find((claim) => claim.event === event && claim.notAdded !== null);
  return found && noOpOf(found);
};

const noOpOf = ({ at: { position }, revision, notAdded }: Said): NoOp | undefined =>
  notAdded === null ? undefined : { position, revision, notAdded };
