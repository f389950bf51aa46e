import { oauthPaths } from '../oauth-endpoints.ts';
import type { Described } from './described.ts';
import type { ProblemName } from './responses.ts';

const tag = 'Tokens';
const always = ['OAuthBadRequest', 'InvalidClient', 'MethodNotAllowed', 'TooLarge', 'UnsupportedMediaType'] as const;
const problems: readonly ProblemName[] = [...always, 'Throttled', 'InternalError', 'Unavailable'];

/** The description of an endpoint outside the table, with its path and method. */
export type OAuthDescribed = Described & { readonly path: string; readonly method: 'GET' | 'POST' };

/** The operations that the caller sends client credentials to, or no credentials. */
export const oauthOperations: readonly OAuthDescribed[] = [
  {
    path: oauthPaths.token,
    method: 'POST',
    operationId: 'issueToken',
    tag,
    summary: 'Get a token',
    description: 'Client credentials stand in a Basic header or in the body, never in both.',
    body: 'TokenForm',
    successes: { 200: { description: 'A token.', schema: 'Token', headers: ['Cache-Control'] } },
    problems,
    examples: { body: 'TokenForm', answer: 'Token' },
  },
  {
    path: oauthPaths.revoke,
    method: 'POST',
    operationId: 'revokeToken',
    tag,
    summary: 'Revoke an own token',
    description: 'RFC 7009. Of any other token it has no effect.',
    body: 'OwnTokenForm',
    successes: { 200: { description: 'Such a token is not good any more.', schema: 'Revocation', headers: ['Cache-Control'] } },
    problems,
    examples: { body: 'OwnTokenForm' },
  },
  {
    path: oauthPaths.introspect,
    method: 'POST',
    operationId: 'introspectToken',
    tag,
    summary: 'Ask about an own token',
    description: 'RFC 7662.',
    body: 'OwnTokenForm',
    successes: { 200: { description: 'What the token is good for.', schema: 'Introspection', headers: ['Cache-Control'] } },
    problems,
    examples: { body: 'OwnTokenForm', answer: 'Introspection' },
  },
  {
    path: oauthPaths.metadata,
    method: 'GET',
    operationId: 'getServerMetadata',
    tag,
    summary: 'Learn where tokens are had',
    description: 'RFC 8414.',
    successes: { 200: { description: 'Metadata.', schema: 'ServerMetadata', headers: ['Cache-Control'] } },
    problems: ['BadRequest', 'MethodNotAllowed', 'InternalError'],
  },
];
