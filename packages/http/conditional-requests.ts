import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Entity tags of an installation: opaque, from an object's stream revision. Another log or base URL gives other tags. */
export type EntityTags = (revision: number) => string;

export const createEntityTags = (incarnation: string, base: string): EntityTags => {
  const origin = createHash('sha256').update(`${incarnation} ${base}`).digest('base64url').slice(0, 8);
  return (revision) => `"${revision.toString(36)}-${origin}"`;
};

/** Whether `If-None-Match` holds what the client has to be current: the answer is 304. */
export const isCurrent = (request: IncomingMessage, tag: string): boolean => {
  const header = request.headers['if-none-match'];
  return header !== undefined && (header.trim() === '*' || tagsOf(header).some((given) => given.replace(/^W\//, '') === tag));
};

/** Whether `If-Match` allows a change of what has this tag: strong comparison. */
export const mayChange = (ifMatch: string | undefined, tag: string): boolean =>
  ifMatch === undefined || ifMatch.trim() === '*' || tagsOf(ifMatch).includes(tag);

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim());
