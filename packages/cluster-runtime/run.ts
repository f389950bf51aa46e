import { setTimeout as pause } from 'node:timers/promises';
import type { Static, TObject } from '@sinclair/typebox';
import { release } from '@waymark/domain/release.ts';
import { privateUmask } from '@waymark/files/private.ts';
import { createOpenApp, type OpenRoute } from '@waymark/http/app.ts';
import type { NoteFailure } from '@waymark/http/authentication-failures.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { createRequestMetrics, type ObserveRequest } from '@waymark/http/metrics/request-metrics.ts';
import { createOperatorAccess } from '@waymark/http/operator/access.ts';
import { type Health, healthRoutes, json, requireOperator } from '@waymark/http/operator/routes.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { createClientAddresses } from '@waymark/http/server/addresses.ts';
import { type Listening, listen } from '@waymark/http/server/server.ts';
import { withPersonLogged } from '@waymark/operations/api/person.ts';
import { createFailureNotes } from '@waymark/runtime/authentication-failures.ts';
import type { ProcessSettings } from '@waymark/runtime/common-settings.ts';
import { openParent, type Parent } from '@waymark/runtime/parent.ts';
import { readSettings, type SettingsSpec, splitList } from '@waymark/runtime/settings.ts';
import { stopOnSignal } from '@waymark/runtime/signals.ts';
import { exitOnStartupFailure } from '@waymark/runtime/startup-failure.ts';
import { stopMs } from '@waymark/runtime/stop-times.ts';
import { destination, type Logger, pino } from 'pino';
import type { Registry } from 'prom-client';
import { warnOfEngines } from './engine-credentials.ts';
import type { FiguresResponse, PartFiguresResponse } from './figures-response.ts';
import { countRefusedWrites, createRegistry } from './process-metrics.ts';

/** The part of a process that its service starts. */
export type Part = {
  /** Returns the reasons why the process is not ready, as sentences; none if it is. */
  readonly notReady: () => readonly string[] | Promise<readonly string[]>;
  /** Returns the reasons why the process cannot serve requests yet; by default those of `notReady`. It is asked until there are none. */
  readonly notServing?: () => readonly string[] | Promise<readonly string[]>;
  /** Returns what an operator should know even if the process is ready. */
  readonly warnings?: () => readonly string[] | Promise<readonly string[]>;
  /** Returns the metrics that `waymark status` shows. */
  readonly stats: () => PartFiguresResponse | Promise<PartFiguresResponse>;
  /** Returns metrics for Prometheus, in addition to those of every process. */
  readonly metrics?: () => string | Promise<string>;
  /** The operations on its operator port. Each needs the operator token. */
  readonly operations?: readonly OpenRoute[];
  /** Whether clients send requests to the process. It then answers them during the drain. */
  readonly drains?: true;
  /** Finishes requests in progress, within a time limit. */
  readonly close: () => Promise<void>;
};

export type Context<Settings> = {
  readonly settings: Settings;
  readonly logger: Logger;
  /** The registry of the process's own metrics. */
  readonly registry: Registry;
  /** Counts a request and records its duration. */
  readonly observe: ObserveRequest;
  /** Records a request that was not authenticated. */
  readonly noteFailure: NoteFailure;
  /** Returns true once the process has to stop. It may still drain. */
  readonly closing: () => boolean;
  /** Aborts at the end of the drain. It also aborts a start that still waits for an engine. */
  readonly stopped: AbortSignal;
  /** Ends the process after an error that it cannot repair while it runs. A restarted process continues normally. */
  readonly fatal: (error: Error) => void;
};

export type ProcessSpec<Schema extends TObject> = {
  readonly name: string;
  readonly settings: SettingsSpec<Schema>;
  /** Returns the tokens that open its operations, where it has any. Each opens its figures, too. */
  readonly operatorTokens?: (settings: Static<Schema>) => readonly string[];
  readonly start: (context: Context<Static<Schema> & ProcessSettings>) => Promise<Part>;
};

const opsShutdownMs = 500;
const readyEveryMs = 100;

/** Runs a process of a cluster until SIGTERM or SIGINT stops it. Its operator port answers first. */
export const runProcess = async <Schema extends TObject>(spec: ProcessSpec<Schema>, environment: NodeJS.ProcessEnv): Promise<void> => {
  try {
    await run(spec, environment);
  } catch (error) {
    exitOnStartupFailure(error);
  }
};

const run = async <Schema extends TObject>(spec: ProcessSpec<Schema>, environment: NodeJS.ProcessEnv): Promise<void> => {
  process.umask(privateUmask);
  const settings = readSettings(spec.settings, environment) as Static<Schema> & ProcessSettings;
  const lines = destination({ fd: 2, sync: false });
  const logger = pino({ level: settings.WAYMARK_LOG_LEVEL, base: { service: spec.name } }, lines);
  const exit = (code: number): void => {
    lines.flushSync();
    process.exit(code);
  };
  const parent = openParent();
  const stopping = new AbortController();
  let isDraining = false;
  const requests = createRequestMetrics();
  const registry = createRegistry();
  warnOfEngines(settings, logger);
  const context: Context<Static<Schema> & ProcessSettings> = {
    settings,
    logger,
    registry,
    observe: countRefusedWrites(requests.observe, registry),
    noteFailure: createFailureNotes(logger, registry),
    closing: () => isDraining,
    stopped: stopping.signal,
    fatal: (error) => {
      logger.fatal({ err: error }, 'the process ends');
      exit(1);
    },
  };
  const running = { part: undefined as Part | undefined };
  const tokens = spec.operatorTokens?.(settings) ?? [];
  const ops = await listenToOperators({ name: spec.name, tokens }, context, running, requests.text);
  const started = spec.start(context);
  stopOnSignal({
    drainMs: settings.WAYMARK_DRAIN_SECONDS * 1_000,
    stopMs: stopMs(settings),
    parent,
    drain: () => {
      isDraining = true;
      return running.part?.drains ?? false;
    },
    close: async () => {
      stopping.abort();
      await started.then(
        (part) => part.close(),
        () => undefined,
      );
      await ops.close(opsShutdownMs);
    },
    exit,
  });
  running.part = await started.catch((error: Error) => {
    // The process was stopped before it had started: the shutdown ends it.
    if (stopping.signal.aborted) return undefined;
    throw error;
  });
  if (running.part === undefined) return;
  logger.info({ operator: ops.url }, 'started');
  if (running.part.drains) void notifyReady(running.part, parent, context);
};

/** Notifies the parent once the process is ready: the parent may then send requests to it. */
const notifyReady = async ({ notReady }: Part, parent: Parent, { closing }: Context<ProcessSettings>): Promise<void> => {
  while (!closing()) {
    if ((await notReady()).length === 0) return parent.ready();
    await pause(readyEveryMs, undefined, { ref: false });
  }
};

/** The operations of a process are not known before it has started. A 404 would be wrong, so these routes answer 503. */
const notStartedRoutes = (['GET', 'POST', 'DELETE'] as const).map(
  (method): OpenRoute => ({
    method,
    path: '/operator/*asked',
    handle: async () => {
      throw unavailable('The process has not started yet.');
    },
  }),
);

type Running = { readonly part: Part | undefined };

/** Returns what a process reports about itself: before, while and after its part runs. */
const createReports = (
  name: string,
  { registry, closing }: Context<ProcessSettings>,
  running: Running,
  requestsText: () => string,
): Health & { readonly figures: () => Promise<FiguresResponse> } => {
  const ofPart = async (ask: (part: Part) => ReturnType<Part['notReady']>): Promise<readonly string[]> => {
    if (closing()) return ['The process is shutting down.'];
    return running.part === undefined ? ['The process has not started yet.'] : ask(running.part);
  };
  const notReady = () => ofPart((part) => part.notReady());
  const warnings = async (): Promise<readonly string[]> => (await running.part?.warnings?.()) ?? [];
  const text = async (): Promise<string> => [await registry.metrics(), requestsText(), (await running.part?.metrics?.()) ?? ''].join('\n');
  return {
    notReady,
    notServing: () => ofPart((part) => (part.notServing ?? part.notReady)()),
    closing,
    warnings,
    metrics: { text, contentType: registry.contentType },
    figures: async () => {
      const missing = await notReady();
      return {
        service: name,
        pid: process.pid,
        release,
        ready: missing.length === 0,
        missing,
        warnings: await warnings(),
        memoryBytes: process.memoryUsage.rss(),
        uptimeSeconds: Math.floor(process.uptime()),
        ...(await running.part?.stats()),
      };
    },
  };
};

const listenToOperators = (
  { name, tokens }: { readonly name: string; readonly tokens: readonly string[] },
  context: Context<ProcessSettings>,
  running: Running,
  requestsText: () => string,
): Promise<Listening> => {
  const { settings, logger, observe, noteFailure, closing } = context;
  const { figures, ...health } = createReports(name, context, running, requestsText);
  const statusTokens = [...tokens, ...splitList(settings.WAYMARK_STATUS_TOKEN)];
  const routes = [
    ...healthRoutes(health),
    requireOperator(statusTokens, { method: 'GET', path: '/operator/figures', handle: async () => json(200, await figures()) }),
  ];
  const access = createOperatorAccess({
    tokens: statusTokens,
    names: [settings.WAYMARK_OPS_HOST, ...splitList(settings.WAYMARK_OPS_NAMES)],
    addresses: createClientAddresses({ trusted: [] }),
    note: noteFailure,
  });
  const lifecycle = { observe, logger, closing, access, corsOrigins: new Set<string>(), budgets: createOperatorBudgets() };
  let listener = createOpenApp(lifecycle, [...routes, ...notStartedRoutes.map((route) => requireOperator(tokens, route))]);
  let complete = false;
  // No idle limit: operations may take long, and only operators wait for them.
  return listen(
    (request, response) => {
      if (!complete && running.part !== undefined) {
        const operations = running.part.operations ?? [];
        listener = createOpenApp(lifecycle, [
          ...routes,
          ...operations.map((route) => requireOperator(tokens, withPersonLogged(logger, route))),
        ]);
        complete = true;
      }
      return listener(request, response);
    },
    settings.WAYMARK_OPS_HOST,
    settings.WAYMARK_OPS_PORT,
    { idleMs: 0 },
  );
};
