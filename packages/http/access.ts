import type { Scope } from '@waymark/domain/application/events.ts';
import type { Attempt } from './authentication-failures.ts';

/** On whose behalf a request is made. */
export type Access = {
  readonly account: string;
  readonly application: string;
  /** Names the token; never the token itself. */
  readonly token: string;
  readonly scopes: readonly Scope[];
};

/** @param request where the `Authorization` header was sent
 * @throws HttpError 401, 403, 429; LogUnavailable, TokenStoreUnavailable */
export type Authenticate = (authorization: string | undefined, request: Pick<Attempt, 'request' | 'route'>) => Access | Promise<Access>;
