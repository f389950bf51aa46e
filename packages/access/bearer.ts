import type { IncomingMessage } from 'node:http';
import { createCache } from '@waymark/caches/cache.ts';
import type { Scope } from '@waymark/domain/application/events.ts';
import type { Access, Authenticate } from '@waymark/http/access.ts';
import { type Admission, withAdmission } from '@waymark/http/admission.ts';
import { type Attempt, failedAuthentication } from '@waymark/http/authentication-failures.ts';
import type { KnownKeys } from '@waymark/http/counters/known-keys.ts';
import { forbidden, HttpError, invalidToken, notAuthenticated } from '@waymark/http/errors.ts';
import { entriesOf } from '@waymark/http/limits.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import type { Applications, KnownApplication } from './applications.ts';
import { accessesCached, authorizationCharactersCachedMax, knowledgeFreshMs } from './limits.ts';
import type { TokenRecord, TokenStore } from './tokens/token-store.ts';

/** Returns whether a token that has not expired is valid. `suspended`: it is known but not permitted. */
export const tokenStatus = (record: TokenRecord, application: KnownApplication): 'good' | 'suspended' | 'void' => {
  const { state, suspended } = application;
  if (state.status === 'suspended') return 'suspended';
  if (state.status !== 'active' || suspended > record.applicationRevision) return 'void';
  return state.secrets.some((secret) => secret.id === record.secretId) ? 'good' : 'void';
};

/** Returns the scopes of a token that its application still has. */
export const presentScopes = ({ scopes }: TokenRecord, { state }: KnownApplication): readonly Scope[] =>
  'scopes' in state ? scopes.filter((scope) => state.scopes.includes(scope)) : [];

/** Returns the access that the `Authorization` header gives. The result, also a refusal, is cached as long as the state of the application
 * that it is based on is fresh: so a revoked token is accepted for at most `knowledgeFreshMs`. Failures with tokens that no thread of the
 * process knows are limited by address. */
export const createBearerAuthentication = (
  tokens: TokenStore,
  applications: Applications,
  admission: Admission,
  memoryBytes = Number.POSITIVE_INFINITY,
): Authenticate => {
  const cache = createTokenCache(admission.known, entriesOf(accessesCached, memoryBytes));
  const isFresh = ({ untilMs, changes }: Found): boolean =>
    performance.now() < untilMs && changes === Atomics.load(applications.changes, 0);

  const lookUp = async (authorization: string): Promise<Access> => {
    const token = scheme.exec(authorization)?.[1];
    if (token === undefined) throw refusedHeader(authorization);
    const found = await foundFor(token, tokens, applications);
    cache.keep(authorization, found);
    return given(found.outcome);
  };
  /** Checks the cache first: another request with the same token may have been answered meanwhile. */
  const lookUpUnlessCached = (authorization: string): Promise<Access> | Access => {
    const found = cache.known(authorization) ?? cache.refused(authorization);
    return found !== undefined && isFresh(found) ? given(found.outcome) : lookUp(authorization);
  };
  const unknown = (authorization: string, request: IncomingMessage): Promise<Access> => {
    const address = admission.addresses.of(request);
    return withAdmission(admission, address, () =>
      admission.addressFailures.attempt(address, async () => lookUpUnlessCached(authorization)),
    );
  };
  const withFailureNoted = async (
    access: () => Promise<Access> | Access,
    { request, route }: Pick<Attempt, 'request' | 'route'>,
  ): Promise<Access> => {
    try {
      return await access();
    } catch (error) {
      admission.noteError({ endpoint: 'bearer', request, route }, error);
      throw error;
    }
  };

  return (header, at) => {
    if (header === undefined) return withFailureNoted(missing, at);
    const found = cache.known(header);
    const authorization = found === undefined ? usual(header) : header;
    const entry = found ?? cache.known(authorization);
    if (entry === undefined && !cache.isKnownToOthers(authorization)) return withFailureNoted(() => unknown(authorization, at.request), at);
    if (entry === undefined || !isFresh(entry)) return withFailureNoted(() => lookUp(authorization), at);
    return entry.outcome instanceof Error ? withFailureNoted(() => given(entry.outcome), at) : entry.outcome;
  };
};

/** The headers that were looked up. The other threads of the process learn which of them have a valid token. */
const createTokenCache = (ofProcess: KnownKeys, max: number) => {
  /** Tokens that are valid, or were. Guessed tokens cannot evict them. */
  const known = createCache<string, Found>(max);
  const refused = createCache<string, Found>(max);
  const isCacheable = (authorization: string): boolean => authorization.length <= authorizationCharactersCachedMax;
  return {
    known: (authorization: string): Found | undefined => known.get(authorization),
    refused: (authorization: string): Found | undefined => refused.get(authorization),
    isKnownToOthers: (authorization: string): boolean => isCacheable(authorization) && ofProcess.has(knownKey(authorization)),
    keep: (authorization: string, found: Found): void => {
      if (!isCacheable(authorization)) return;
      if (found.outcome instanceof HttpError && found.outcome.status === 401) {
        known.delete(authorization);
        ofProcess.remove(knownKey(authorization));
        refused.set(authorization, found);
      } else {
        known.set(authorization, found);
        ofProcess.add(knownKey(authorization));
      }
    },
  };
};

/** Returns a header as most clients write it, so that a token has one place in the caches, in however many ways a client writes it. */
const usual = (header: string): string => {
  const token = scheme.exec(header)?.[1];
  return token === undefined ? header : usualHeader(token);
};

const usualHeader = (token: string): string => `Bearer ${token}`;

const knownKey = (authorization: string): string => `bearer:${authorization}`;

/** Returns the key of a token among those that the process knows. */
export const knownTokenKey = (token: string): string => knownKey(usualHeader(token));

/** `changes`: the number of changes of applications that were known before the token was looked up. */
type Found = { readonly untilMs: number; readonly changes: number; readonly outcome: Access | HttpError };

const given = (outcome: Found['outcome']): Access => {
  if (outcome instanceof Error) throw outcome;
  return outcome;
};

const missing = (): never => {
  throw failedAuthentication(notAuthenticated(), 'missing');
};

/** Returns the refusal of a header that does not contain a token. */
const refusedHeader = (authorization: string): HttpError =>
  /^bearer\b/i.test(authorization)
    ? failedAuthentication(invalidToken(), 'malformed')
    : failedAuthentication(notAuthenticated(), 'missing');

const scheme = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i;

const foundFor = async (token: string, tokens: TokenStore, applications: Applications): Promise<Found> => {
  const askedMs = performance.now();
  const changes = Atomics.load(applications.changes, 0);
  const record = await tokens.find(secretHash(token), Date.now());
  if (record === undefined) {
    return { untilMs: askedMs + knowledgeFreshMs, changes, outcome: failedAuthentication(invalidToken(), 'unknown-token') };
  }
  const application = await applicationOf(record, applications);
  const untilMs = Math.min(askedMs, application.confirmedAtMs) + knowledgeFreshMs;
  return { untilMs, changes, outcome: outcomeOf(record, application) };
};

/** Returns a state of the token's application that is at least as new as the one the token was issued with. */
const applicationOf = async (record: TokenRecord, applications: Applications): Promise<KnownApplication> => {
  const application = await applications.find(record.application);
  return application.revision < record.applicationRevision
    ? applications.refresh(record.application, record.applicationRevision)
    : application;
};

const outcomeOf = (record: TokenRecord, application: KnownApplication): Found['outcome'] => {
  switch (tokenStatus(record, application)) {
    case 'good':
      return { account: record.account, application: record.application, token: record.id, scopes: presentScopes(record, application) };
    case 'suspended':
      return failedAuthentication(forbidden(), 'suspended', record.application, record.account);
    case 'void':
      return failedAuthentication(invalidToken(), 'revoked', record.application, record.account);
  }
};
