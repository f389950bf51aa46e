import type { Scope } from '@waymark/domain/application/events.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';

/** An access token as it is stored: never the token itself. */
export type TokenRecord = {
  /** The SHA-256 hash of the token, in base64url. Tokens are found by it. */
  readonly hash: string;
  /** A random id that names the token in envelopes and logs. */
  readonly id: string;
  readonly application: string;
  readonly account: string;
  readonly scopes: readonly Scope[];
  /** The secret that the token was issued for. `applicationRevision`: the revision of the application's stream at that time. */
  readonly secretId: string;
  readonly applicationRevision: number;
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
};

export class TokenStoreUnavailable extends Unavailable {}

/** Stores issued tokens by their hash. */
export type TokenStore = {
  /** Saves a token. Durable when it resolves.
   * @throws TokenStoreUnavailable */
  readonly save: (record: TokenRecord) => Promise<void>;
  /** Returns undefined if the token was never issued, is revoked or has expired at `nowMs`.
   * @throws TokenStoreUnavailable */
  readonly find: (hash: string, nowMs: number) => Promise<TokenRecord | undefined>;
  /** Revokes a token. Durable when it resolves; revoking a token that does not exist has no effect.
   * @throws TokenStoreUnavailable */
  readonly revoke: (hash: string) => Promise<void>;
};

/** 36,000 s, as documented. */
export const tokenLifetimeSeconds = 36_000;

/** Returns whether the text can be the hash of a token. Only such a text may become part of a key or of a stream's name. */
export const isTokenHash = (text: string): boolean => /^[\w-]{43}$/.test(text);
