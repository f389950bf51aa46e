import type { Scope } from '@waymark/domain/application/events.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';

/** An access token as it is kept: never the token itself. */
export type TokenRecord = {
  /** SHA-256 over the token, base64url: what it is found by. */
  readonly hash: string;
  /** Random; names the token in envelopes and logs. */
  readonly id: string;
  readonly application: string;
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** The secret that it was issued for, and the revision of the application's stream at issue. */
  readonly secretId: string;
  readonly applicationRevision: number;
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
};

export class TokenStoreUnavailable extends Unavailable {}

/** Issued tokens by their hash. */
export type TokenStore = {
  /** Durable when it resolves. @throws TokenStoreUnavailable */
  readonly save: (record: TokenRecord) => Promise<void>;
  /** Undefined: never issued, revoked or expired at `nowMs`. @throws TokenStoreUnavailable */
  readonly find: (hash: string, nowMs: number) => Promise<TokenRecord | undefined>;
  /** Durable when it resolves; revoking what is not there has no effect. @throws TokenStoreUnavailable */
  readonly revoke: (hash: string) => Promise<void>;
};

/** 36,000 s, as documented. */
export const tokenLifetimeSeconds = 36_000;

/** Whether it can be the hash of a token: only that makes a key or a stream's name. */
export const isTokenHash = (text: string): boolean => /^[\w-]{43}$/.test(text);
