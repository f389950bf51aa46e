import { hash, randomFillSync, randomUUID } from 'node:crypto';
import type { DomainEvent, NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { release } from '@waymark/domain/release.ts';

/** The origin of a change, as envelopes name it. */
export type Origin = {
  readonly actor: string;
  readonly token: string | null;
  readonly request: string | null;
  /** Undefined if the event belongs to no operation: then its own id is its correlation. */
  readonly correlation?: string;
};

/** The origin of changes that operators make, and of changes made for them. */
export const operators: Origin = { actor: 'operator', token: null, request: null };

/** The origin of events that Waymark records by itself. */
export const waymark: Origin = { actor: 'waymark', token: null, request: null };

/** The data of an event before it has a salt and a commitment, and its origin. */
export type Unsealed = {
  /** The id of the event, fixed before the first try to append. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  /** The content, as JSON text. */
  readonly content: string;
  /** The account; empty for housekeeping. */
  readonly account: string;
  readonly origin: Origin;
  /** The id of the event that caused it, if there is one. */
  readonly cause?: string | undefined;
  readonly sanitized: boolean;
};

export const newEventId = (): string => randomUUID();

const saltBytes = 16;

/** Random bytes for many salts. They are drawn together, because each draw costs more than the bytes. Each byte is used once. */
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

/** Returns the commitment of an event: SHA-256 over its salt's bytes and its content's UTF-8 bytes, base64url. */
export const commitmentTo = (salt: Buffer, content: string): string =>
  hash('sha256', Buffer.concat([salt, Buffer.from(content)]), 'base64url');

/** Returns whether the content of an event differs from its commitment, or its salt is not 16 bytes in base64url: a longer one could have taken
 * the first bytes of the content. An erased event has a commitment, but neither salt nor content: no erasure leaves one of them. */
export const isAltered = ({ salt, content }: Pick<RecordedEvent, 'salt' | 'content'>, commitment: string): boolean => {
  if (salt === null || content === null) return salt !== content;
  const bytes = Buffer.from(salt, 'base64url');
  if (bytes.length !== saltBytes || bytes.toString('base64url') !== salt) return true;
  return commitmentTo(bytes, content) !== commitment;
};

/** Gives an event its time, its salt, and the commitment to its content. The fields of the envelope are set one by one, because their names
 * are stored. */
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
      correlation: origin.correlation ?? unsealed.id,
      cause: unsealed.cause ?? null,
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
 * @param id of the event, where it is fixed already */
export const sealFact = (
  fact: DomainEvent,
  {
    account,
    origin,
    cause,
    id = newEventId(),
    sanitized = false,
  }: Pick<Unsealed, 'account' | 'origin' | 'cause'> & Partial<Pick<Unsealed, 'id' | 'sanitized'>>,
): NewEvent => seal({ id, type: fact.type, version: eventVersions[fact.type], content: encode(fact), account, origin, cause, sanitized });

/** An event of housekeeping before it is sealed. `id` is given if it is fixed already. */
type Housekeeping = Pick<Unsealed, 'type' | 'version' | 'origin'> & Partial<Pick<Unsealed, 'id'>> & { readonly content: object };

/** Gives an event of housekeeping its envelope. The stored content is the JSON text of `content`. */
export const sealHousekeeping = ({ id = newEventId(), type, version, content, origin }: Housekeeping): NewEvent =>
  seal({ id, type, version, content: JSON.stringify(content), account: '', origin, sanitized: false });
