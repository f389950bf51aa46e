import type { RequestListener } from 'node:http';
import type { Admission } from '@waymark/http/admission.ts';
import { createBudgets } from '@waymark/http/budgets.ts';
import type { EdgeOptions } from '@waymark/http/edge.ts';
import { listen } from '@waymark/http/server.ts';
import type { RemoteMedia } from '@waymark/media/media.ts';
import { addressesOf, admissionOf, peersOf } from './admission.ts';
import type { AddressSettings, ApiSettings, ProcessSettings } from './common-settings.ts';
import { memoryBytesOf } from './memory.ts';
import type { Context, Part } from './run.ts';
import { listed } from './settings.ts';
import { answersMs } from './stop-times.ts';
import { engineFigures, troublesOf, type Watched, watch } from './watch.ts';
import type { World } from './world.ts';
import type { Writes } from './writes.ts';

/** Window of the quota by application. */
const windowSeconds = 10;

type ApiContext = Context<ApiSettings & AddressSettings & ProcessSettings>;

/** What every application of the API takes from its process. */
export const edgeOf = ({ settings, logger, observe, closing }: ApiContext): EdgeOptions => ({
  corsOrigins: new Set(listed(settings.WAYMARK_CORS_ORIGINS)),
  observe,
  logger,
  closing,
  budgets: createBudgets(memoryBytesOf(settings)),
});

/** Limits requests without a known credential, counted by all processes together. */
export const apiAdmission = ({ settings, logger, noteFailure }: ApiContext, { failures }: World): Admission =>
  admissionOf({ settings, addresses: addressesOf(settings, logger), note: noteFailure, failures });

/** Public base URL, without a slash at its end. */
export const baseOf = ({ settings }: ApiContext): string => settings.WAYMARK_PUBLIC_URL.replace(/\/+$/, '');

/** Counts an application's requests. */
export const requestsLimit = ({ settings }: ApiContext, world: World) =>
  world.limited({ name: 'requests', points: settings.WAYMARK_RATE_LIMIT_REQUESTS * windowSeconds, seconds: windowSeconds });

type Answering = {
  /** The engines without which it is not ready. */
  readonly needed: readonly Watched[];
  readonly admission: Admission;
  readonly media?: RemoteMedia;
  /** Of who writes. */
  readonly writes?: Writes;
};

/** Answers the API. */
export const answering = async (
  { settings }: ApiContext,
  world: World,
  listener: RequestListener,
  { needed, admission, media, writes }: Answering,
): Promise<Part> => {
  const engines = [...Object.values(world.engines), ...(media ? [watch('Media', media.ping)] : [])];
  const api = await listen(listener, settings.WAYMARK_HOST, settings.WAYMARK_PORT, {
    peers: peersOf(settings, admission.addresses),
  });
  return {
    drains: true,
    notReady: async () => {
      const putBack = await writes?.putBack();
      return [...troublesOf(needed), ...(putBack === undefined ? [] : [putBack])];
    },
    figures: async () => ({
      api: api.url,
      incarnation: world.incarnation,
      ...(writes ? { writes: await writes.state() } : {}),
      engines: engineFigures(engines),
    }),
    close: async () => {
      await api.close(answersMs(settings));
      for (const { close } of engines) close();
      await Promise.allSettled([world.close(), media?.close()]);
    },
  };
};
