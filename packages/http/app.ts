import type { IncomingMessage, RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import type { Authenticate } from './access.ts';
import { allowed, type Endpoint, type Path, paths, scopeOf } from './api/endpoints.ts';
import type { Answer, Routes } from './call.ts';
import { forbidden, methodNotAllowed, misdirected, notFound } from './errors.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestBody } from './request/request-body.ts';
import { createRequestLifecycle, type Exchange, type RequestLifecycle, type RequestLifecycleOptions } from './request-lifecycle.ts';
import { keepForClient } from './server/peers.ts';

export type AppOptions = RequestLifecycleOptions & {
  /** The endpoints that this process answers. */
  readonly routes: Routes;
  /** What it answers without a bearer token. */
  readonly open: readonly OpenRoute[];
  readonly authenticate: Authenticate;
  /** By application. */
  readonly rateLimit: RateLimit;
};

/** What a route without a bearer token gets. */
export type OpenCall = {
  readonly request: IncomingMessage;
  readonly body: RequestBody;
  readonly requestId: string;
  /** Of the path, by name. */
  readonly parameters: Readonly<Record<string, string>>;
};

export type OpenRoute = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly handle: (call: OpenCall) => Promise<Answer>;
};

type Serve = (exchange: Exchange) => Promise<Answer>;

/** The HTTP application of a service: one order of checks for everything that it answers. */
export const createApp = (options: AppOptions): RequestListener => {
  const edge = createRequestLifecycle(options);
  const router = bare();
  for (const path of paths) {
    router
      .route(`/v3.0${path}`)
      .all((request, response) => edge(request, response, path, endpoint(options, path, parametersOf(request)['id'] ?? '')));
  }
  mount(router, edge, options.open);
  otherwise(router, edge, unknownPath(options));
  return listener(router);
};

export type OpenAppOptions = RequestLifecycleOptions & {
  /** Guards all of it. */
  readonly access?: (edge: RequestLifecycle) => RequestLifecycle;
};

const unguarded = (edge: RequestLifecycle): RequestLifecycle => edge;

/** The HTTP application of what only operators and their machines reach. */
export const createOpenApp = (options: OpenAppOptions, routes: readonly OpenRoute[]): RequestListener => {
  const router = bare();
  const edge = (options.access ?? unguarded)(createRequestLifecycle(options));
  mount(router, edge, routes);
  otherwise(router, edge, async () => {
    throw notFound();
  });
  return listener(router);
};

/** Express's router alone: all that we need of it, and nothing that answers, or reads, behind our back. */
const bare = (): Router => express.Router({ caseSensitive: true });

/** The last of the router's handlers answers everything: there is nothing left to do after it. */
const listener =
  (router: Router): RequestListener =>
  (request, response) =>
    router(request as Request, response as Response, () => undefined);

type Parameters = OpenCall['parameters'];

const parametersOf = ({ params }: Request): Parameters => params as Parameters;

/** Every path that is none of ours. Express throws on one that is not well-formed. */
const otherwise = (router: Router, edge: RequestLifecycle, serve: Serve): void => {
  router.use((request, response) => edge(request, response, 'unknown', serve));
  const malformed: ErrorRequestHandler = (_error, request, response, _next) => edge(request, response, 'unknown', serve);
  router.use(malformed);
};

/** Adds routes without a bearer token. */
const mount = (router: Router, edge: RequestLifecycle, routes: readonly OpenRoute[]): void => {
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    router.route(path).all((request, response) => edge(request, response, path, open(methods, parametersOf(request))));
  }
};

/** 401, 405, 403, 429, and then what the service says. */
const endpoint =
  (options: AppOptions, path: Path, id: string): Serve =>
  async (exchange) => {
    const { request, requestId, body } = exchange;
    const method = request.method ?? '';
    if (method === 'OPTIONS') return preflight(allowed(path));
    const access = await options.authenticate(request.headers.authorization, exchange);
    exchange.access = access;
    keepForClient(request.socket);
    const scope = scopeOf(path, method);
    if (scope === undefined) throw methodNotAllowed(method, allowed(path));
    if (!access.scopes.includes(scope)) throw forbidden();
    await options.rateLimit.take(access.application);
    const handle = options.routes[`${method === 'HEAD' ? 'GET' : method} ${path}` as Endpoint];
    if (handle === undefined) throw misdirected();
    return handle({ request, body, url: request.url ?? '', requestId, access, idText: id });
  };

const open =
  (routes: readonly OpenRoute[], parameters: Parameters): Serve =>
  async ({ request, requestId, body }) => {
    const allow = routes
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .concat('OPTIONS')
      .join(', ');
    if (request.method === 'OPTIONS') return preflight(allow);
    const route = routes.find(({ method }) => method === (request.method === 'HEAD' ? 'GET' : request.method));
    if (route === undefined) throw methodNotAllowed(request.method ?? '', allow);
    return route.handle({ request, body, requestId, parameters });
  };

const preflight = (allow: string): Answer => ({ status: 204, headers: { Allow: allow } });

/** Who is not authenticated does not learn which paths there are below `/v3.0`. */
const unknownPath =
  (options: AppOptions): Serve =>
  async (exchange) => {
    const { request } = exchange;
    if (/^(https?:\/\/[^/]*)?\/v3\.0(\/|$|\?)/.test(request.url ?? '')) {
      exchange.access = await options.authenticate(request.headers.authorization, exchange);
    }
    throw notFound();
  };
