import { createHash } from 'node:crypto';

/** Returns the SHA-256 hash, in base64url, of a token or a client's secret. Both have 256 random bits, so no slower hash is needed. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
