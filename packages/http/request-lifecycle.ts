import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Access } from './access.ts';
import type { Answer } from './call.ts';
import { corsHeaders } from './cors.ts';
import { badRequest, type HttpError, toHttpError } from './errors.ts';
import { type Known, whenKnown } from './known.ts';
import type { ObserveRequest } from './metrics/request-metrics.ts';
import { type NoteRefused, refusedWrite } from './refused-requests.ts';
import type { Budgets } from './request/budgets.ts';
import { createRequestBody, hasBody, type RequestBody } from './request/request-body.ts';
import type { HashRequestId } from './request-id-hash.ts';
import { errorAnswer, requestIdOf, send } from './send.ts';
import type { OpenResponse } from './server/open-body.ts';
import { createResponseBytes, createWaitingBytes, type ResponseBytes } from './server/response-bytes.ts';

export type RequestLifecycleOptions = {
  readonly corsOrigins: ReadonlySet<string>;
  readonly observe: ObserveRequest;
  readonly logger: Logger;
  /** Returns true once the process is shutting down. Connections are not kept open then. */
  readonly closing: () => boolean;
  /** Budgets for the bytes in flight. */
  readonly budgets: Budgets;
  /** Returns the address that a request's bytes in flight count against if no application is known. By default it is the peer's address. */
  readonly addressOf?: (request: IncomingMessage) => string;
  /** Hashes request ids as the event log keeps them. Log lines have the hash beside the id. By default they have only the id. */
  readonly hashRequestId?: HashRequestId;
  /** Records refused writes of known applications. By default they are only logged. */
  readonly noteRefused?: NoteRefused;
};

/** A request during its lifecycle. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The route as metrics and logs name it. */
  readonly route: string;
  readonly startedMs: number;
  /** The time at which a response that stays open began: the request counts as answered then. */
  openedMs: number | undefined;
  /** Set once the request is authenticated. */
  access: Access | undefined;
  /** The parameters of the path as sent, by name. Undefined for an unknown path, and for one that needs no token. */
  parameters: Readonly<Record<string, string>> | undefined;
  /** The problem that was answered, if there was one. */
  problem: HttpError | undefined;
  readonly body: RequestBody;
};

/** Returns the caller that a request's bytes in flight count against: its application, or else its address. */
export const callerOf = (
  { addressOf = peerOf }: RequestLifecycleOptions,
  { access, request }: Pick<Exchange, 'access' | 'request'>,
): string => access?.application ?? addressOf(request);

const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? '';

/** Answers a request with the result or the error of `handle`: exactly once, timed, logged, and never with a stack trace. */
export type RequestLifecycle = (
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
  handle: (exchange: Exchange) => Known<Answer>,
) => Known<void>;

export const createRequestLifecycle =
  (options: RequestLifecycleOptions): RequestLifecycle =>
  (request, response, route, handle) => {
    const exchange: Exchange = {
      request,
      response,
      requestId: requestIdOf(request),
      route,
      startedMs: performance.now(),
      openedMs: undefined,
      access: undefined,
      parameters: undefined,
      problem: undefined,
      body: createRequestBody(request, options.budgets, () => callerOf(options, exchange)),
    };
    const held = createResponseBytes(response, options.budgets.responses, () => callerOf(options, exchange));
    const answer = answerOf(options, exchange, held, handle);
    return whenKnown(answer, (known) => whenKnown(respond(options, exchange, held, known), (sent) => end(options, exchange, sent)));
  };

/** Returns the answer of `handle`, or the error that it throws as an answer. */
const answerOf = (
  options: RequestLifecycleOptions,
  exchange: Exchange,
  held: ResponseBytes,
  handle: (exchange: Exchange) => Known<Answer>,
): Known<Answer> => {
  const problem = (error: unknown): Answer => problemOf(options, exchange, error);
  const take = (answer: Answer): Answer => {
    if (!exchange.response.destroyed) held.take(answer);
    return answer;
  };
  try {
    refuseRepeatedHeaders(exchange.request);
    const answer = handle(exchange);
    return answer instanceof Promise ? answer.then(take).catch(problem) : take(answer);
  } catch (error) {
    return problem(error);
  }
};

/** Sends an answer. Returns the answer that was sent, which is another one if a body could not be read. */
const respond = (options: RequestLifecycleOptions, exchange: Exchange, held: ResponseBytes, answer: Answer): Known<Answer> => {
  exchange.body.release();
  if (exchange.response.destroyed) return answer;
  const streamed = send(exchange.response, answer, extraHeaders(options, exchange, answer), openResponse(options, exchange, answer));
  held.settle();
  return streamed === undefined ? answer : awaitStreamed(options, exchange, streamed).then((instead) => instead ?? answer);
};

/** Returns what a body that stays open reports to; undefined for any other response. */
const openResponse = (options: RequestLifecycleOptions, exchange: Exchange, { body }: Answer): OpenResponse | undefined => {
  if (typeof body !== 'object' || 'size' in body) return undefined;
  return {
    opened: () => {
      exchange.openedMs = performance.now();
    },
    keep: createWaitingBytes(exchange.response, options.budgets.responses, callerOf(options, exchange)),
  };
};

const end = (options: RequestLifecycleOptions, exchange: Exchange, { status }: Answer): void => {
  const { request } = exchange;
  // The rest of a refused body is discarded. If the connection was closed instead, a client that is still sending could not read the
  // response.
  if (hasBody(request) && !request.complete) request.resume();
  note(options, exchange, status);
};

/** Waits until a body is sent. If the body cannot be read to its end, the connection is closed, so that a short body does not look
 * complete. If nothing of it was sent yet, another response is sent. */
const awaitStreamed = async (
  options: RequestLifecycleOptions,
  exchange: Exchange,
  streamed: Promise<void>,
): Promise<Answer | undefined> => {
  try {
    await streamed;
    return undefined;
  } catch (error) {
    const instead = problemOf(options, exchange, error);
    if (exchange.response.headersSent) exchange.response.destroy();
    else void send(exchange.response, instead, extraHeaders(options, exchange, instead));
    return instead;
  }
};

/** Counts every request. Logs refused writes of known clients at level info, and all other requests only at level debug. */
const note = (options: RequestLifecycleOptions, exchange: Exchange, status: number): void => {
  const { observe, logger } = options;
  const method = exchange.request.method ?? '';
  const seconds = ((exchange.openedMs ?? performance.now()) - exchange.startedMs) / 1000;
  observe(method, exchange.route, status, seconds);
  const isRefused = status >= 400 && exchange.access !== undefined && method !== 'GET' && method !== 'HEAD';
  const level = isRefused ? 'info' : 'debug';
  if (logger.isLevelEnabled(level))
    logger[level]({ ...identity(options, exchange), status, seconds }, isRefused ? 'write refused' : 'request');
  if (status >= 400 && options.noteRefused) record(options, options.noteRefused, exchange, status);
};

const record = (options: RequestLifecycleOptions, noteRefused: NoteRefused, exchange: Exchange, status: number): void => {
  const { addressOf = peerOf, hashRequestId } = options;
  const refused = refusedWrite(exchange, status, { addressOf, hashRequestId });
  if (refused !== undefined) noteRefused(refused);
};

/** Refuses a repeated `Host` or `Authorization` header, because a proxy and this process could each use another one of the values. HTTP/1.1
 * requires one host. */
const refuseRepeatedHeaders = ({ rawHeaders, httpVersion }: IncomingMessage): void => {
  let hosts = 0;
  let authorizations = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1 || authorizations > 1) throw badRequest('A header that may stand once was repeated.');
  if (hosts === 0 && httpVersion === '1.1') throw badRequest('The Host header is missing.');
};

const problemOf = (options: RequestLifecycleOptions, exchange: Exchange, error: unknown): Answer => {
  const problem = toHttpError(error);
  exchange.problem = problem;
  if (problem.status >= 500 && error !== problem)
    options.logger[problem.status === 500 ? 'error' : 'warn']({ ...identity(options, exchange), err: error }, 'failed');
  return errorAnswer(problem);
};

const identity = (
  { hashRequestId }: RequestLifecycleOptions,
  { request, route, requestId, access }: Exchange,
): Readonly<Record<string, unknown>> => ({
  request: requestId,
  requestHash: hashRequestId?.(requestId),
  method: request.method,
  route,
  account: access?.account,
  application: access?.application,
});

const extraHeaders = (options: RequestLifecycleOptions, exchange: Exchange, answer: Answer): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = { 'X-Request-Id': exchange.requestId };
  // No cache keeps what a history says, nor that it says nothing.
  if (exchange.request.url?.startsWith('/audit/')) headers['Cache-Control'] = 'no-store';
  if (options.corsOrigins.size > 0) Object.assign(headers, corsHeaders(options.corsOrigins, exchange.request, answer.headers));
  if (options.closing()) headers['Connection'] = 'close';
  return headers;
};
