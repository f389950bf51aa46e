import { hash } from 'node:crypto';

/** Returns the SHA-256 hash, in base64url, of a token or a client's secret. Both have 256 random bits, so no slower hash is needed. */
export const secretHash = (secret: string): string => hash('sha256', secret, 'base64url');
