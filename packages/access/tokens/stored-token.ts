import type { Scope } from '@waymark/domain/application/events.ts';
import type { TokenRecord } from './token-store.ts';

/** A `TokenRecord` as stored in SQLite and in Redis, and, without its hash, in the event log. Stored and signed: never rename a field, and
 * keep their order. */
export type StoredToken = {
  readonly hash: string;
  readonly id: string;
  readonly application: string;
  readonly account: string;
  readonly scopes: readonly Scope[];
  readonly secretId: string;
  readonly applicationRevision: number;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
};

export const toStoredToken = (record: TokenRecord): StoredToken => ({
  hash: record.hash,
  id: record.id,
  application: record.application,
  account: record.account,
  scopes: record.scopes,
  secretId: record.secretId,
  applicationRevision: record.applicationRevision,
  issuedAtMs: record.issuedAtMs,
  expiresAtMs: record.expiresAtMs,
});

export const fromStoredToken = (stored: StoredToken): TokenRecord => ({
  hash: stored.hash,
  id: stored.id,
  application: stored.application,
  account: stored.account,
  scopes: stored.scopes,
  secretId: stored.secretId,
  applicationRevision: stored.applicationRevision,
  issuedAtMs: stored.issuedAtMs,
  expiresAtMs: stored.expiresAtMs,
});
