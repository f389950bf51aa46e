import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Returns the entity tag of an object for its stream revision. Tags are opaque. Another log or base URL gives other tags. */
export type EntityTags = (revision: number) => string;

export const createEntityTags = (incarnation: string, base: string): EntityTags => {
  const origin = createHash('sha256').update(`${incarnation} ${base}`).digest('base64url').slice(0, 8);
  return (revision) => `"${revision.toString(36)}-${origin}"`;
};

/** Returns whether `If-None-Match` contains the current tag. If so, the client's copy is current and the response is 304. */
export const isCurrent = (request: IncomingMessage, tag: string): boolean => {
  const header = request.headers['if-none-match'];
  return header !== undefined && (header.trim() === '*' || tagsOf(header).some((given) => given.replace(/^W\//, '') === tag));
};

/** Returns whether `If-Match` allows a change of an object with this tag. The comparison is strong. */
export const mayChange = (ifMatch: string | undefined, tag: string): boolean =>
  ifMatch === undefined || ifMatch.trim() === '*' || tagsOf(ifMatch).includes(tag);

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim());
