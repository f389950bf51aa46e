import type { RequestListener } from 'node:http';
import { createRefusalRecorder, type RefusalRecorder } from '@waymark/access/refusals/recorder.ts';
import type { Admission } from '@waymark/http/admission.ts';
import { createBudgets } from '@waymark/http/request/budgets.ts';
import { createRequestIdHash } from '@waymark/http/request-id-hash.ts';
import type { RequestLifecycleOptions } from '@waymark/http/request-lifecycle.ts';
import { listen } from '@waymark/http/server/server.ts';
import type { RemoteMedia } from '@waymark/media/media.ts';
import { addressesOf, admissionOf, peersOf } from '@waymark/runtime/admission.ts';
import type {
  AddressSettings,
  ApiSettings,
  ProcessSettings,
  RecordingSettings,
  RequestIdSettings,
} from '@waymark/runtime/common-settings.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { answersMs } from '@waymark/runtime/stop-times.ts';
import type { ClusterContext } from './cluster-context.ts';
import { createHealthCheck, engineStates, failuresOf, type HealthCheck } from './health-check.ts';
import type { ReaderRegistration } from './reader-registration.ts';
import type { Context, Part } from './run.ts';
import type { ClusterWriteGate } from './write-gate.ts';

/** The window of the request quota per application. */
const windowSeconds = 10;
/** How often the media store is checked, for `waymark status` alone: S3 is paid by the request. */
const mediaEveryMs = 30_000;

type ApiContext = Context<ApiSettings & AddressSettings & ProcessSettings & RequestIdSettings>;

/** Returns the options that every application of the API takes from its process. */
export const lifecycleOptions = (
  { settings, logger, observe, closing }: ApiContext,
  { amounts }: ClusterContext,
): RequestLifecycleOptions => ({
  corsOrigins: new Set(splitList(settings.WAYMARK_CORS_ORIGINS)),
  observe,
  logger,
  closing,
  budgets: createBudgets(memoryBytesOf(settings), amounts),
  hashRequestId: createRequestIdHash(splitList(settings.WAYMARK_REQUEST_ID_KEY)),
});

/** Creates the limits for requests without a known credential. All processes count them together. */
export const apiAdmission = ({ settings, logger, noteFailure }: ApiContext, { failures, amounts }: ClusterContext): Admission =>
  admissionOf({ settings, addresses: addressesOf(settings, logger), note: noteFailure, failures, amounts });

/** Creates the recorder of refused requests of the process. It appends nothing while writes are closed. */
export const refusalRecorder = (
  { settings, logger }: Context<RecordingSettings>,
  { writes, log }: Pick<ClusterContext, 'writes' | 'log'>,
): RefusalRecorder => createRefusalRecorder({ log: writes.gated(log), intervalMs: settings.WAYMARK_REFUSALS_SECONDS * 1_000, logger });

/** Returns the public base URL without a trailing slash. */
export const baseOf = ({ settings }: { readonly settings: Pick<ApiSettings, 'WAYMARK_PUBLIC_URL'> }): string =>
  settings.WAYMARK_PUBLIC_URL.replace(/\/+$/, '');

/** Creates the limit of requests per application. */
export const requestsLimit = ({ settings }: ApiContext, clusterContext: ClusterContext) =>
  clusterContext.limited({ name: 'requests', points: settings.WAYMARK_RATE_LIMIT_REQUESTS * windowSeconds, seconds: windowSeconds });

type Answering = {
  /** The engines without which the process is not ready. */
  readonly needed: readonly HealthCheck[];
  /** The registrations of a process that serves reads. */
  readonly readings?: readonly Pick<ReaderRegistration, 'notReady'>[];
  readonly admission: Admission;
  readonly media?: RemoteMedia;
  /** Present in a process that accepts writes. */
  readonly writes?: ClusterWriteGate;
  /** Present in a process that records refused requests. */
  readonly recorder?: RefusalRecorder;
};

/** Serves the API and returns its part of the process. */
export const serveApi = async (
  { settings }: ApiContext,
  clusterContext: ClusterContext,
  listener: RequestListener,
  { needed, readings = [], admission, media, writes, recorder }: Answering,
): Promise<Part> => {
  const engines = [...Object.values(clusterContext.engines), ...(media ? [createHealthCheck('Media', media.ping, mediaEveryMs)] : [])];
  const api = await listen(listener, settings.WAYMARK_HOST, settings.WAYMARK_PORT, {
    peers: peersOf(settings, admission.addresses, clusterContext.amounts),
    connections: clusterContext.amounts.totals.connections,
  });
  const notServing = (): readonly string[] => [...failuresOf(needed), ...readings.flatMap(({ notReady }) => notReady())];
  return {
    drains: true,
    notServing,
    notReady: async () => {
      const rolledBack = await writes?.rolledBack();
      return [...notServing(), ...(rolledBack === undefined ? [] : [rolledBack])];
    },
    stats: async () => ({
      api: api.url,
      incarnation: clusterContext.incarnation,
      ...(writes ? { writes: await writes.state() } : {}),
      engines: engineStates(engines),
    }),
    close: async () => {
      await api.close(answersMs(settings));
      await recorder?.close();
      for (const { close } of engines) close();
      await Promise.allSettled([clusterContext.close(), media?.close()]);
    },
  };
};
