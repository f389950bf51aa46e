import { hash, randomFillSync, randomUUID } from 'node:crypto';
import type { DomainEvent, NewEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { release } from '@waymark/domain/release.ts';

/** Who asks for a change, as envelopes say it. */
export type Origin = {
  readonly actor: string;
  readonly token: string | null;
  readonly request: string | null;
};

/** What operators do, and what is done for them. */
export const operators: Origin = { actor: 'operator', token: null, request: null };

/** What an event is to say and who says it. */
export type Unsealed = {
  /** Fixed before the first try to append. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  /** JSON text. */
  readonly content: string;
  /** Empty for housekeeping. */
  readonly account: string;
  readonly origin: Origin;
  readonly sanitized: boolean;
};

export const newEventId = (): string => randomUUID();

const saltBytes = 16;

/** Random bytes are drawn for many salts at once: drawing costs more than they do. Each is used once. */
const drawn = Buffer.alloc(saltBytes * 1_024);
let used = drawn.length;

const newSalt = (): Buffer => {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += saltBytes;
  return drawn.subarray(used - saltBytes, used);
};

/** What an event commits to: SHA-256 over its salt's bytes and its content's UTF-8 octets, base64url. */
export const commitmentTo = (salt: Buffer, content: string): string =>
  hash('sha256', Buffer.concat([salt, Buffer.from(content)]), 'base64url');

/** Gives an event its time, its salt, and the commitment to its content. The fields of the envelope are set one by one: their names are stored. */
export const seal = (unsealed: Unsealed): NewEvent => {
  const salt = newSalt();
  const { origin, content } = unsealed;
  return {
    envelope: {
      id: unsealed.id,
      type: unsealed.type,
      version: unsealed.version,
      account: unsealed.account,
      actor: origin.actor,
      token: origin.token,
      request: origin.request,
      correlation: origin.request ?? unsealed.id,
      cause: null,
      time: new Date().toISOString(),
      release: release,
      commitment: commitmentTo(salt, content),
      sanitized: unsealed.sanitized,
    },
    salt: salt.toString('base64url'),
    content,
  };
};

/** Gives a fact its envelope.
 * @param id where it is fixed already */
export const sealFact = (
  fact: DomainEvent,
  {
    account,
    origin,
    id = newEventId(),
    sanitized = false,
  }: Pick<Unsealed, 'account' | 'origin'> & Partial<Pick<Unsealed, 'id' | 'sanitized'>>,
): NewEvent => seal({ id, type: fact.type, version: eventVersions[fact.type], content: encode(fact), account, origin, sanitized });
