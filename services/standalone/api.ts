import type { RequestListener } from 'node:http';
import { createBudgets } from '@waymark/http/request/budgets.ts';
import type { ClientAddresses } from '@waymark/http/server/addresses.ts';
import { type Listening, listen } from '@waymark/http/server/server.ts';
import { addressesOf, peersOf } from '@waymark/runtime/admission.ts';
import { type Counters, openCounters, type SharedCounters } from './counters.ts';
import { createPublicApp, type PublicAppOptions } from './public-app.ts';

/** The public API as one thread serves it. */
export type Api = Listening & {
  /** The public base URL, without a trailing slash. */
  readonly base: string;
  /** Answers requests with this incarnation of the log from now on. */
  readonly answerAs: (incarnation: string) => void;
};

export type ApiOptions = Omit<PublicAppOptions, 'addresses' | 'budgets' | 'base' | 'counters'> & {
  readonly counters: SharedCounters;
  /** What the budgets of the process take their shares of, in bytes. */
  readonly processBytes: number;
  readonly port: number;
  /** True if several threads listen on the port. */
  readonly reusePort: boolean;
  /** The public base URL without a trailing slash; by default that of the settings, or else the address. */
  readonly base?: string;
};

/** Listens, and answers requests. Rejects if the address is in use. */
export const openApi = async (options: ApiOptions): Promise<Api> => {
  const { settings, logger, incarnation, processBytes, threadBytes } = options;
  const addresses = addressesOf(settings, logger);
  const counters = openCounters(options.counters, threadBytes);
  const listening = await listenFirst(options, addresses, counters);
  const { base = (settings.WAYMARK_PUBLIC_URL || listening.url).replace(/\/+$/, '') } = options;
  const app = { ...options, base, addresses, counters, budgets: createBudgets(processBytes, counters.amounts) };
  const answerAs = (name: string): void => listening.answer(createPublicApp({ ...app, incarnation: name }));
  answerAs(incarnation);
  return { ...listening, base, answerAs };
};

/** Listens before the application exists, because its responses contain the address. */
const listenFirst = async (
  { settings, port, reusePort }: ApiOptions,
  addresses: ClientAddresses,
  { amounts }: Counters,
): Promise<Listening & { readonly answer: (listener: RequestListener) => void }> => {
  let answer: RequestListener | undefined;
  const listening = await listen((request, response) => answer?.(request, response), settings.WAYMARK_HOST, port, {
    peers: peersOf(settings, addresses, amounts),
    connections: amounts.totals.connections,
    reusePort,
  });
  return {
    ...listening,
    answer: (listener) => {
      answer = listener;
    },
  };
};
