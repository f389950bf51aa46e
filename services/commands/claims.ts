import { createHash, createHmac } from 'node:crypto';
import { requestStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, type Origin, seal } from '@waymark/event-log/seal.ts';
import type { Body } from '@waymark/http/body.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { idempotencyKeyCharactersMax } from '@waymark/http/limits.ts';
import { badRequest, keyReused, stillRunning, unavailable } from '@waymark/http/problems.ts';
import { appendOne, type Placed } from './append.ts';
import { attemptsMax, keyHoldsMs } from './limits.ts';

/** What a request does is tied to: one event id, and what a repeat of the request must know to find it. */
export type Claim = {
  /** Of the event that the request appends. */
  readonly event: string;
  /** The object that an earlier run of the same request was about. */
  readonly object: number | undefined;
  /** Set on a repeat: the event may stand in the object's stream after this revision. */
  readonly since: Revision | undefined;
  /** Says what was decided, before it is appended. Only the first run says that; but a no-op, whoever comes to it, leaves its answer: what
   * was to be appended when a conflict or a crash came between must not be appended by a repeat, once it was said to be so already. */
  readonly take: (decided: Decided) => Promise<void>;
};

type Decided = { readonly object: number; readonly revision: Revision; readonly answer: Answer | null };

/** As it stands in the log. */
type ClaimContent = Decided & { readonly digest: string; readonly event: string };

/** Runs a request once, however often it is sent with the same `Idempotency-Key`: a repeat gets the first 2xx again. */
export type Once = (call: Call, body: Body, run: (claim: Claim) => Promise<Answer>) => Promise<Answer>;

export const onceWith = (log: EventLog, key: string): Once => {
  const running = new Set<string>();
  return async (call, body, run) => {
    const given = call.request.headers['idempotency-key'];
    if (given === undefined) return run({ event: newEventId(), object: undefined, since: undefined, take: async () => {} });
    const stream = streamOf(key, call, String(given));
    if (running.has(stream)) throw stillRunning();
    running.add(stream);
    try {
      return await claimed(log, stream, body, originOf(call), run);
    } finally {
      running.delete(stream);
    }
  };
};

export const originOf = ({ access, requestId }: Call): Origin => ({
  actor: access.application,
  token: access.token,
  request: requestId,
});

const keyPattern = new RegExp(`^[\\x21-\\x7e]{1,${idempotencyKeyCharactersMax}}$`);

const streamOf = (key: string, call: Call, given: string): string => {
  if (!keyPattern.test(given)) {
    throw badRequest(`Idempotency-Key: 1 to ${idempotencyKeyCharactersMax} visible ASCII characters.`);
  }
  const path = call.url.replace(/\?.*$/, '').replace(/\/$/, '');
  const text = `${call.access.application}\0${path}\0${given}`;
  return requestStream(createHmac('sha256', key).update(text).digest('hex'));
};

/** Somebody else has claimed the key meanwhile. */
class ClaimTaken extends Error {}

const claimed = async (log: EventLog, stream: string, body: Body, origin: Origin, run: (claim: Claim) => Promise<Answer>) => {
  const digest = createHash('sha256').update(body.bytes).digest('base64url');
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const last = await lastClaim(log, stream);
    const earlier = last?.holds ? last.content : undefined;
    if (earlier && earlier.digest !== digest) throw keyReused();
    if (earlier?.answer) return earlier.answer;
    const say = (content: Decided & Pick<ClaimContent, 'event'>, expected: Revision): Promise<Placed> =>
      appendOne(log, stream, claimEvent({ ...content, digest }, origin), expected);
    try {
      return await run(claimAfter(last?.revision ?? 'none', earlier, say));
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
    }
  }
  throw unavailable('Too many requests with this Idempotency-Key at once.');
};

/** @param last revision of the stream of claims  @param earlier what an earlier run has said, and has no answer yet */
const claimAfter = (
  last: Revision,
  earlier: ClaimContent | undefined,
  say: (content: Decided & Pick<ClaimContent, 'event'>, expected: Revision) => Promise<Placed>,
): Claim => {
  const event = earlier?.event ?? newEventId();
  let expected = last;
  let said = earlier !== undefined;
  return {
    event,
    object: earlier?.object,
    since: earlier?.revision,
    take: async (decided) => {
      if (said && decided.answer === null) return;
      const placed = await say({ ...decided, event }, expected);
      if (placed.outcome === 'conflict') throw new ClaimTaken();
      expected = placed.outcome === 'found' ? placed.event.revision : placed.revision;
      said = true;
    },
  };
};

const claimEvent = (content: ClaimContent, origin: Origin) =>
  seal({
    id: newEventId(),
    type: 'RequestClaimed',
    version: 1,
    content: JSON.stringify(content),
    account: '',
    origin,
    sanitized: false,
  });

const lastClaim = async (log: EventLog, stream: string) => {
  const [revision = 'none'] = await log.last([stream]);
  if (revision === 'none') return undefined;
  const [event] = await log.read(stream, revision);
  if (event === undefined || event.content === null) return undefined;
  const holds = Date.now() - Date.parse(event.envelope.time) < keyHoldsMs;
  return { revision, holds, content: JSON.parse(event.content) as ClaimContent };
};
