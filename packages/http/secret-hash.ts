import { createHash } from 'node:crypto';

/** SHA-256, base64url, of a token or a client's secret: both have 256 random bits, so that nothing slower is needed. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
