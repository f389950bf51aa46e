import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import type { Access, Authenticate } from './access.ts';
import { allowed, type Endpoint, fullPath, type Path, paths, plainPath, scopesOf } from './api/endpoints.ts';
import type { Answer, Routes } from './call.ts';
import { forbidden, methodNotAllowed, misdirected, notFound } from './errors.ts';
import { type Known, whenKnown } from './known.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestBody } from './request/request-body.ts';
import { createRequestLifecycle, type Exchange, type RequestLifecycle, type RequestLifecycleOptions } from './request-lifecycle.ts';
import { keepForClient } from './server/peers.ts';

export type AppOptions = RequestLifecycleOptions & {
  /** The endpoints that this process serves. */
  readonly routes: Routes;
  /** The routes that need no bearer token. */
  readonly openRoutes: readonly OpenRoute[];
  readonly authenticate: Authenticate;
  /** Limits requests by application. */
  readonly rateLimit: RateLimit;
};

/** The input of a route that needs no bearer token. */
export type OpenCall = {
  readonly request: IncomingMessage;
  readonly body: RequestBody;
  readonly requestId: string;
  /** Parameters of the path, by name. */
  readonly parameters: Readonly<Record<string, string>>;
};

export type OpenRoute = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly handle: (call: OpenCall) => Promise<Answer>;
};

type Serve = (exchange: Exchange) => Known<Answer>;

/** Creates the HTTP application of a service. Every request passes the same checks in the same order. */
export const createApp = (options: AppOptions): RequestListener => {
  const lifecycle = createRequestLifecycle(options);
  const router = createRouter();
  const serve = (request: IncomingMessage, response: ServerResponse, path: Path, parameters: Parameters): Known<void> =>
    lifecycle(request, response, path, serveEndpoint(options, path, parameters));
  for (const path of paths) {
    router.route(fullPath(path)).all((request, response) => serve(request, response, path, parametersOf(request)));
  }
  mount(router, lifecycle, options.openRoutes);
  handleUnknownPaths(router, lifecycle, serveUnknownPath(options));
  const route = listener(router);
  return (request, response) => {
    takeOriginForm(request);
    const found = plainPath(request.url ?? '');
    if (found === undefined) route(request, response);
    else void serve(request, response, found.path, found.parameters);
  };
};

export type OpenAppOptions = RequestLifecycleOptions & {
  /** Guards every route. */
  readonly access?: (lifecycle: RequestLifecycle) => RequestLifecycle;
};

const unguarded = (lifecycle: RequestLifecycle): RequestLifecycle => lifecycle;

/** Creates an HTTP application that only operators and monitoring systems can reach. */
export const createOpenApp = (options: OpenAppOptions, routes: readonly OpenRoute[]): RequestListener => {
  const router = createRouter();
  const lifecycle = (options.access ?? unguarded)(createRequestLifecycle(options));
  mount(router, lifecycle, routes);
  handleUnknownPaths(router, lifecycle, async () => {
    throw notFound();
  });
  return listener(router);
};

/** Rewrites a request target that names the server, as clients send it to a proxy (RFC 9112, section 3.2.2), to its path and its query. */
const takeOriginForm = (request: IncomingMessage): void => {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  request.url = url.replace(/^[a-z]+:\/\/[^/?#]*\/?/i, '/');
};

/** Creates Express's router alone. The rest of Express is not needed, and could answer requests or read bodies on its own. */
const createRouter = (): Router => express.Router({ caseSensitive: true });

/** Adapts a router to a request listener. The last handler of the router answers every request, so the final callback has nothing to do. */
const listener =
  (router: Router): RequestListener =>
  (request, response) =>
    router(request as Request, response as Response, () => undefined);

type Parameters = OpenCall['parameters'];

const parametersOf = ({ params }: Request): Parameters => params as Parameters;

/** Handles every unknown path. Express throws on a path that is not well-formed. */
const handleUnknownPaths = (router: Router, lifecycle: RequestLifecycle, serve: Serve): void => {
  router.use((request, response) => lifecycle(request, response, 'unknown', serve));
  const malformed: ErrorRequestHandler = (_error, request, response, _next) => lifecycle(request, response, 'unknown', serve);
  router.use(malformed);
};

/** Adds routes that need no bearer token. */
const mount = (router: Router, lifecycle: RequestLifecycle, routes: readonly OpenRoute[]): void => {
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    router.route(path).all((request, response) => lifecycle(request, response, path, serveOpenRoute(methods, parametersOf(request))));
  }
};

/** Answers 401, 405, 403 or 429, or else with the response of the service. */
const serveEndpoint =
  (options: AppOptions, path: Path, parameters: Parameters): Serve =>
  (exchange) => {
    const { request, requestId, body } = exchange;
    const method = request.method ?? '';
    if (method === 'OPTIONS') return preflight(allowed(path));
    exchange.parameters = parameters;
    const handle = (access: Access): Known<Answer> => {
      const handler = options.routes[`${method === 'HEAD' ? 'GET' : method} ${path}` as Endpoint];
      if (handler === undefined) throw misdirected();
      return handler({ request, body, url: request.url ?? '', requestId, access, parameters });
    };
    return whenKnown(options.authenticate(request.headers.authorization, exchange), (access) => {
      exchange.access = access;
      keepForClient(request.socket);
      const needed = scopesOf(path, method);
      if (needed === undefined) throw methodNotAllowed(method, allowed(path));
      for (const scope of needed) if (!access.scopes.includes(scope)) throw forbidden();
      return whenKnown(options.rateLimit.take(access.application), () => handle(access));
    });
  };

const serveOpenRoute =
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

/** Answers 404 for an unknown path. Below `/v3.0` and `/audit/v1` it authenticates first, so that an unauthenticated client does not learn which paths
 * exist. */
const serveUnknownPath =
  (options: AppOptions): Serve =>
  async (exchange) => {
    const { request } = exchange;
    if (/^\/(v3\.0|audit\/v1)(\/|$|\?)/.test(request.url ?? '')) {
      exchange.access = await options.authenticate(request.headers.authorization, exchange);
    }
    throw notFound();
  };
