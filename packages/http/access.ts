import type { Scope } from '@waymark/domain/application/events.ts';
import type { Attempt } from './authentication-failures.ts';

/** The account, application and token that a request is made with. */
export type Access = {
  readonly account: string;
  readonly application: string;
  /** Identifies the token; never the token itself. */
  readonly token: string;
  readonly scopes: readonly Scope[];
};

/** Authenticates a request by its `Authorization` header.
 * @param request the request that sent the header, and its route
 * @throws HttpError 401, 403, 429; LogUnavailable, TokenStoreUnavailable */
export type Authenticate = (authorization: string | undefined, request: Pick<Attempt, 'request' | 'route'>) => Access | Promise<Access>;
