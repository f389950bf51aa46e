import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Access } from './access.ts';
import type { Answer } from './call.ts';
import { corsHeaders } from './cors.ts';
import { badRequest, toHttpError } from './errors.ts';
import type { ObserveRequest } from './metrics/request-metrics.ts';
import type { Budgets } from './request/budgets.ts';
import { createRequestBody, hasBody, type RequestBody } from './request/request-body.ts';
import { errorAnswer, requestIdOf, send } from './send.ts';
import { createResponseBytes } from './server/response-bytes.ts';

export type RequestLifecycleOptions = {
  readonly corsOrigins: ReadonlySet<string>;
  readonly observe: ObserveRequest;
  readonly logger: Logger;
  /** True once the process is shutting down: connections are not kept then. */
  readonly closing: () => boolean;
  /** Bytes in flight. */
  readonly budgets: Budgets;
  /** The address that a request's bytes in flight count for, where no application is known; without it the peer's. */
  readonly addressOf?: (request: IncomingMessage) => string;
};

/** One request on its way through the edge. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Route as metrics and logs name it. */
  readonly route: string;
  readonly startedMs: number;
  /** Known once the request is authenticated. */
  access: Access | undefined;
  readonly body: RequestBody;
};

/** Whose bytes in flight a request's are: its application's, else its address's. */
export const callerOf = (
  { addressOf = peerOf }: RequestLifecycleOptions,
  { access, request }: Pick<Exchange, 'access' | 'request'>,
): string => access?.application ?? addressOf(request);

const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? '';

/** Answers a request with what `handle` gives or throws: exactly once, timed, logged, and never with a stack. */
export type RequestLifecycle = (
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
  handle: (exchange: Exchange) => Promise<Answer>,
) => Promise<void>;

export const createRequestLifecycle =
  (options: RequestLifecycleOptions): RequestLifecycle =>
  async (request, response, route, handle) => {
    const exchange: Exchange = {
      request,
      response,
      requestId: requestIdOf(request),
      route,
      startedMs: performance.now(),
      access: undefined,
      body: createRequestBody(request, options.budgets, () => callerOf(options, exchange)),
    };
    const held = createResponseBytes(response, options.budgets.responses, () => callerOf(options, exchange));
    let answer: Answer;
    try {
      refuseAmbiguity(request);
      answer = await handle(exchange);
      if (!response.destroyed) held.take(answer);
    } catch (error) {
      answer = problemOf(options.logger, exchange, error);
    }
    exchange.body.release();
    if (!response.destroyed) {
      const streamed = send(response, answer, extraHeaders(options, exchange, answer));
      held.settle();
      if (streamed !== undefined) answer = (await endOf(options, exchange, streamed)) ?? answer;
    }
    // What is left of a body that was refused is thrown away: whoever still sends could not read the answer on a connection that was cut.
    if (hasBody(request) && !request.complete) request.resume();
    note(options, exchange, answer.status);
  };

/** Waits until a body is sent. Where it could not be read to its end, the connection is cut: a short body must not look whole. Where nothing of
 * it was sent yet, another answer is. */
const endOf = async (options: RequestLifecycleOptions, exchange: Exchange, streamed: Promise<void>): Promise<Answer | undefined> => {
  try {
    await streamed;
    return undefined;
  } catch (error) {
    const instead = problemOf(options.logger, exchange, error);
    if (exchange.response.headersSent) exchange.response.destroy();
    else void send(exchange.response, instead, extraHeaders(options, exchange, instead));
    return instead;
  }
};

/** Counts every request; logs what a known client was refused to write, the rest only for those who want to see all. */
const note = ({ observe, logger }: RequestLifecycleOptions, exchange: Exchange, status: number): void => {
  const method = exchange.request.method ?? '';
  const seconds = (performance.now() - exchange.startedMs) / 1000;
  observe(method, exchange.route, status, seconds);
  const refusedWrite = status >= 400 && exchange.access !== undefined && method !== 'GET' && method !== 'HEAD';
  const level = refusedWrite ? 'info' : 'debug';
  if (logger.isLevelEnabled(level)) logger[level]({ ...identity(exchange), status, seconds }, refusedWrite ? 'write refused' : 'request');
};

/** Of two values, a proxy and we might each believe another one; HTTP/1.1 wants one host. */
const refuseAmbiguity = ({ rawHeaders, httpVersion }: IncomingMessage): void => {
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

const problemOf = (logger: Logger, exchange: Exchange, error: unknown): Answer => {
  const problem = toHttpError(error);
  if (problem.status >= 500 && error !== problem)
    logger[problem.status === 500 ? 'error' : 'warn']({ ...identity(exchange), err: error }, 'failed');
  return errorAnswer(problem);
};

const identity = ({ request, route, requestId, access }: Exchange): Readonly<Record<string, unknown>> => ({
  request: requestId,
  method: request.method,
  route,
  account: access?.account,
  application: access?.application,
});

const extraHeaders = (options: RequestLifecycleOptions, exchange: Exchange, answer: Answer): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = { 'X-Request-Id': exchange.requestId };
  if (options.corsOrigins.size > 0) Object.assign(headers, corsHeaders(options.corsOrigins, exchange.request, answer.headers?.['Allow']));
  if (options.closing()) headers['Connection'] = 'close';
  return headers;
};
