import { createHash } from 'node:crypto';
import type { Scope } from '@waymark/domain/application/events.ts';
import type { TokenRecord, Tokens } from '@waymark/tokens/tokens.ts';
import { LRUCache } from 'lru-cache';
import type { Applications, KnownApplication } from './applications.ts';
import { accessesCachedMax, authorizationCharactersCachedMax, knowledgeFreshMs } from './limits.ts';
import { forbidden, invalidToken, notAuthenticated, type Problem } from './problems.ts';

/** On whose behalf a request is made. */
export type Access = {
  readonly account: string;
  readonly application: string;
  /** Names the token; never the token itself. */
  readonly token: string;
  readonly scopes: readonly Scope[];
};

/** @throws Problem 401, 403; LogUnavailable, TokensUnavailable */
export type Authenticate = (authorization: string | undefined) => Access | Promise<Access>;

/** SHA-256, base64url: tokens have 256 random bits, so that nothing slower is needed. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** What makes a token no longer good, whatever its lifetime: `suspended` where it is known but not permitted. */
export const standing = (record: TokenRecord, application: KnownApplication): 'good' | 'suspended' | 'void' => {
  const { state, suspended } = application;
  if (state.status === 'suspended') return 'suspended';
  if (state.status !== 'active' || suspended > record.applicationRevision) return 'void';
  return state.secrets.some((secret) => secret.id === record.secretId) ? 'good' : 'void';
};

/** From the `Authorization` header to the access that it gives. What was found, refusals too, is good as long as what is known of its
 * application: so nothing that was revoked is good for longer than `knowledgeFreshMs`. */
export const bearer = (tokens: Tokens, applications: Applications): Authenticate => {
  const known = new LRUCache<string, Found>({ max: accessesCachedMax });

  const look = async (authorization: string): Promise<Access> => {
    const token = scheme.exec(authorization)?.[1];
    if (token === undefined) throw /^bearer\b/i.test(authorization) ? invalidToken() : notAuthenticated();
    const found = await foundFor(token, tokens, applications);
    if (authorization.length <= authorizationCharactersCachedMax) known.set(authorization, found);
    return given(found.outcome);
  };

  return (authorization) => {
    if (authorization === undefined) throw notAuthenticated();
    const entry = known.get(authorization);
    return entry !== undefined && performance.now() < entry.untilMs ? given(entry.outcome) : look(authorization);
  };
};

type Found = { readonly untilMs: number; readonly outcome: Access | Problem };

const given = (outcome: Access | Problem): Access => {
  if (outcome instanceof Error) throw outcome;
  return outcome;
};

const scheme = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

const foundFor = async (token: string, tokens: Tokens, applications: Applications): Promise<Found> => {
  const askedMs = performance.now();
  const record = await tokens.find(tokenHash(token), Date.now());
  if (record === undefined) return { untilMs: askedMs + knowledgeFreshMs, outcome: invalidToken() };
  const application = await knownSince(record, applications);
  const untilMs = Math.min(askedMs, application.confirmedAtMs) + knowledgeFreshMs;
  return { untilMs, outcome: outcomeOf(record, application) };
};

/** What is known of a token's application is at least what was known when the token was issued. */
const knownSince = async (record: TokenRecord, applications: Applications): Promise<KnownApplication> => {
  const application = await applications.find(record.application);
  return application.revision < record.applicationRevision
    ? applications.refresh(record.application, record.applicationRevision)
    : application;
};

const outcomeOf = (record: TokenRecord, application: KnownApplication): Access | Problem => {
  switch (standing(record, application)) {
    case 'good':
      return { account: record.account, application: record.application, token: record.id, scopes: record.scopes };
    case 'suspended':
      return forbidden();
    case 'void':
      return invalidToken();
  }
};
