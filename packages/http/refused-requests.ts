import type { IncomingMessage } from 'node:http';
import { isUuid } from '@waymark/domain/uuid.ts';
import type { Access } from './access.ts';
import { fullPath, type Path } from './api/endpoints.ts';
import type { HttpError } from './errors.ts';
import { refusedFieldsMax } from './limits.ts';
import type { HashRequestId } from './request-id-hash.ts';
import { networkOf } from './server/addresses.ts';

/** A request of a known application that was refused: a write, or a request for a token. It contains nothing of the body, and no values. */
export type RefusedRequest = {
  readonly account: string;
  readonly application: string;
  readonly method: string;
  /** The path with names in place of its parameters. */
  readonly route: string;
  /** The id of the object in the path; null if it has none. */
  readonly object: number | null;
  readonly status: number;
  /** The error code of a token request; null for a write. */
  readonly error: string | null;
  /** The names of the fields that were refused. */
  readonly fields: readonly string[];
  /** The id of the request, as the event log stores it. */
  readonly request: string;
  /** The value of `Correlation-Id`; null if it is no UUID. */
  readonly correlation: string | null;
  /** The network that the client's address is in; null if the address is unknown. */
  readonly address: string | null;
};

/** Records a refused request. Returns at once, and never throws. */
export type NoteRefused = (refused: RefusedRequest) => void;

/** What records of refused requests need to know beside the request. */
export type RefusedRequestOptions = {
  readonly addressOf: (request: IncomingMessage) => string;
  readonly hashRequestId: HashRequestId | undefined;
};

const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

type Write = {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly route: string;
  readonly access: Access | undefined;
  /** Undefined for an unknown path. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
  readonly problem: HttpError | undefined;
};

/** Returns the record of a write if it counts as refused: a known application sent it to a known path, and the response is the client's
 * fault. */
export const refusedWrite = (write: Write, status: number, options: RefusedRequestOptions): RefusedRequest | undefined => {
  const { request, requestId, route, access, parameters, problem } = write;
  const { method = '' } = request;
  const caller = access ?? ownerOfToken(problem);
  if (!isClientFault(status) || caller === undefined || parameters === undefined || !writes.has(method)) return undefined;
  return {
    ...{ account: caller.account, application: caller.application, method },
    route: routeOf(route as Path, parameters),
    object: idIn(parameters['id']),
    status,
    error: null,
    fields: fieldsOf(problem),
    ...originOf(request, requestId, options),
  };
};

/** Returns the path with names in place of its parameters, except for a kind of object that exists. */
const routeOf = (path: Path, { kind = '' }: Readonly<Record<string, string>>): string =>
  kinds.has(kind) ? fullPath(path).replace(':kind', kind) : fullPath(path);

const kinds: ReadonlySet<string> = new Set(['pinpoints', 'lists', 'categories', 'events']);

/** Returns the application of a token that is revoked, or whose application is suspended. */
const ownerOfToken = (problem: HttpError | undefined): Pick<Access, 'account' | 'application'> | undefined => {
  const { client: application, account } = problem?.failure ?? {};
  return application === undefined || account === undefined ? undefined : { account, application };
};

type SignIn = Pick<RefusedRequest, 'account' | 'application' | 'route'> & {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly problem: HttpError;
};

/** Returns the record of a request for a token if the response is the client's fault. */
export const refusedSignIn = (signIn: SignIn, options: RefusedRequestOptions): RefusedRequest | undefined => {
  const { account, application, route, request, requestId, problem } = signIn;
  if (!isClientFault(problem.status)) return undefined;
  return {
    ...{ account, application, method: 'POST', route },
    object: null,
    status: problem.status,
    error: textOf((problem.body as { readonly error?: unknown }).error),
    fields: [],
    ...originOf(request, requestId, options),
  };
};

const originOf = (
  request: IncomingMessage,
  requestId: string,
  { addressOf, hashRequestId }: RefusedRequestOptions,
): Pick<RefusedRequest, 'request' | 'correlation' | 'address'> => {
  const correlation = request.headers['correlation-id'];
  return {
    request: hashRequestId?.(requestId) ?? requestId.toLowerCase(),
    correlation: typeof correlation === 'string' && isUuid(correlation) ? correlation.toLowerCase() : null,
    address: networkOf(addressOf(request)) ?? null,
  };
};

const isClientFault = (status: number): boolean => status >= 400 && status < 500;

const idIn = (text = ''): number | null => (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns the names of fields in the body of a problem: they are Waymark's own, and stand beside messages. */
const fieldsOf = (problem: HttpError | undefined): readonly string[] => {
  if (problem?.status !== 400) return [];
  const fields = Object.entries(problem.body).filter(([, messages]) => typeof messages === 'object');
  return fields.map(([field]) => field).slice(0, refusedFieldsMax);
};
