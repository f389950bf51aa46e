import { createHash, randomBytes } from 'node:crypto';
import type { TokenRecord } from '../tokens/token-store.ts';

const nowMs = Date.UTC(2026, 5, 1);

/** Returns the record of a new random token. */
export const sampleToken = (parts: Partial<TokenRecord> = {}): TokenRecord => ({
  hash: createHash('sha256').update(randomBytes(20)).digest('base64url'),
  id: randomBytes(8).toString('hex'),
  application: 'app-1',
  account: '5d41402abc4b2a76b9719d911017c592',
  scopes: ['write', 'read'],
  secretId: 'secret-1',
  applicationRevision: 3,
  issuedAtMs: nowMs - 1_000,
  expiresAtMs: nowMs + 36_000_000,
  ...parts,
});
