import type { Collected } from '@waymark/access/refusals/collector.ts';
import { claimPort } from '@waymark/http/server/shared-port.ts';
import { type ApiOptions, openApi } from './api.ts';
import { type HttpThreads, type HttpThreadsOptions, startHttpThreads } from './threads/http-threads.ts';

/** The public API of the process: the main thread and the HTTP threads answer requests on one port. */
export type PublicPort = {
  readonly url: string;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
  readonly threads: HttpThreads;
  /** Answers requests with this incarnation of the log from now on, in every thread. */
  readonly answerAs: (incarnation: string) => Promise<void>;
  /** Answers clients that had connected or sent something before, and closes what has not finished by `withinMs`. Returns the last requests
   * that HTTP threads refused. */
  readonly close: (withinMs: number) => Promise<readonly Collected[]>;
};

export type PublicPortOptions = {
  /** The number of HTTP threads. */
  readonly count: number;
  /** The API of the main thread. */
  readonly api: Omit<ApiOptions, 'port' | 'reusePort' | 'base'>;
  readonly threads: Omit<HttpThreadsOptions, 'count' | 'data'> & { readonly data: Omit<HttpThreadsOptions['data'], 'port' | 'base'> };
};

/** Listens on the main thread, and then starts the HTTP threads. Rejects if the address is in use. */
export const openPublicPort = async ({ count, api: options, threads: threadsOptions }: PublicPortOptions): Promise<PublicPort> => {
  const { WAYMARK_HOST: host, WAYMARK_PORT: wanted } = options.settings;
  const port = count === 0 ? wanted : await claimPort({ host, port: wanted });
  const api = await openApi({ ...options, port, reusePort: count > 0 });
  const threads = startHttpThreads({ ...threadsOptions, count, data: { ...threadsOptions.data, port, base: api.base } });
  return {
    url: api.url,
    base: api.base,
    threads,
    answerAs: async (incarnation) => {
      api.answerAs(incarnation);
      await threads.answerAs(incarnation);
    },
    close: async (withinMs) => {
      const [last] = await Promise.all([threads.close(withinMs), api.close(withinMs)]);
      return last;
    },
  };
};
