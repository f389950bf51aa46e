import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { commandRoutes } from '@waymark/commands/app.ts';
import type { CommandsOptions } from '@waymark/commands/service.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Endpoint } from '@waymark/http/api/endpoints.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { createEntityTags } from '@waymark/http/conditional-requests.ts';
import { toHttpError } from '@waymark/http/errors.ts';
import { createCursors } from '@waymark/http/paging/cursors.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { createRequestBody } from '@waymark/http/request/request-body.ts';
import { gatewayRoutes } from '@waymark/query-gateway/app.ts';
import type { InterleavedInstallation } from './installation.ts';

/** The content of a request. `id` is the `:id` of its path. */
export type Request = {
  readonly endpoint: Endpoint;
  readonly account: string;
  readonly id?: number;
  readonly query?: string;
  readonly body?: unknown;
  readonly key?: string;
  /** The value of `If-Match`. */
  readonly match?: string;
};

export type InstanceResponse = {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
  readonly headers: NonNullable<Answer['headers']>;
};

/** One process of the service, reduced to its routes. It shares only the stores with other processes. */
export type Instance = { readonly send: (request: Request) => Promise<InstanceResponse> };

type Stores = Pick<InterleavedInstallation, 'log' | 'models' | 'media' | 'incarnation' | 'reached'>;

/** Creates a process.
 * @param installation its stores, or wrappers around them */
export const instanceOn = (installation: Stores, onOwnerMismatch?: CommandsOptions['onOwnerMismatch']): Instance => {
  const { log, models, media, incarnation, reached } = installation;
  const common = { models, tags: createEntityTags(incarnation, ''), complete: (text: string) => text };
  const routes: Routes = {
    ...gatewayRoutes({ ...common, cursors: createCursors(['key'], incarnation), base: '' }),
    ...commandRoutes({
      ...common,
      log,
      media,
      visible: (_account, position) => reached(position),
      idempotencyKey: 'key',
      hashRequestId: () => undefined,
      askHistory: async () => ({ outcome: 'not-found' }),
      undoStarted: () => undefined,
      memoryBytes: 64 * 1024 * 1024,
      onOwnerMismatch,
    }),
  };
  return { send: (request) => sendTo(routes, request) };
};

const sendTo = async (routes: Routes, request: Request): Promise<InstanceResponse> => {
  const { status, body = '', headers = {} } = await answered(routes, request);
  const text = body.toString();
  return { status, text, json: text === '' ? undefined : JSON.parse(text), headers };
};

const answered = async (routes: Routes, request: Request): Promise<Answer> => {
  const handle = routes[request.endpoint];
  if (handle === undefined) throw new Error(`no route is called ${request.endpoint}`);
  try {
    return await handle(callOf(request));
  } catch (error) {
    const problem = toHttpError(error);
    if (problem.status === 500) throw error;
    return { status: problem.status, body: JSON.stringify(problem.body) };
  }
};

const callOf = ({ endpoint, account, id = 0, query = '', body, key, match }: Request): Call => {
  const [method = '', path = ''] = endpoint.split(' ');
  const bytes = body === undefined ? '' : JSON.stringify(body);
  const headers: IncomingHttpHeaders = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) };
  const request = new IncomingMessage(new Socket());
  const keyed = key === undefined ? headers : { ...headers, 'idempotency-key': key };
  Object.assign(request, { method, headers: match === undefined ? keyed : { ...keyed, 'if-match': match } });
  request.push(bytes);
  request.push(null);
  return {
    request,
    body: createRequestBody(request, createOperatorBudgets(), () => account),
    url: `/v3.0${path.replace(':id', String(id))}${query}`,
    requestId: 'request',
    access: { account, application: `application of ${account}`, token: 'token', scopes: ['read', 'write'] },
    parameters: { id: String(id) },
  };
};

/** A function that runs around every read of a store and every write to one. */
export type Around = <Result>(what: string, use: () => Promise<Result>) => Promise<Result>;

/** Returns the same stores, with `around` applied to each use of them. */
export const wrapStores = (
  installation: InterleavedInstallation,
  around: Around,
  log: EventLog = installation.log,
): InterleavedInstallation => ({
  ...installation,
  log: {
    ...log,
    append: (stream, events, expected) => around(`append ${stream}`, () => log.append(stream, events, expected)),
    read: (stream, from) => around(`read ${stream}`, () => log.read(stream, from)),
    lastRevisions: (streams) => around(`last ${streams.join()}`, () => log.lastRevisions(streams)),
  },
  models: {
    ...installation.models,
    find: (kind, id) => around(`find ${kind}-${id}`, () => installation.models.find(kind, id)),
    membership: (list, pinpoints) => around(`membership ${list}`, () => installation.models.membership(list, pinpoints)),
  },
  media: { ...installation.media, put: (name, bytes) => around(`put ${name}`, () => installation.media.put(name, bytes)) },
  reached: (position) => around(`reached ${position}`, () => installation.reached(position)),
});
