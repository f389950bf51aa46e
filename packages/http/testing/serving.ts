import type { RequestListener } from 'node:http';
import { pino } from 'pino';
import type { Answer } from '../call.ts';
import { type Budgets, createBudgets } from '../request/budgets.ts';
import { createRequestLifecycle, type Exchange } from '../request-lifecycle.ts';
import { type Listening, listen } from '../server/server.ts';

/** For tests: servers that are closed after each test. */
export type TestServers = {
  readonly served: (listener: RequestListener) => Promise<Listening>;
  /** Starts a server with the request lifecycle. It answers with the result of `work`. */
  readonly working: (work: (exchange: Exchange) => Promise<Answer>, closing?: () => boolean, budgets?: Budgets) => Promise<Listening>;
};

export const useTestServers = (): TestServers => {
  let open: Listening[] = [];
  afterEach(async () => {
    await Promise.all(open.map(({ close }) => close(0)));
    open = [];
  });
  const served: TestServers['served'] = async (listener) => {
    const listening = await listen(listener, '127.0.0.1', 0);
    open = [...open, listening];
    return listening;
  };
  const working: TestServers['working'] = (work, closing = () => false, budgets = createBudgets(512 * 1024 * 1024)) => {
    const lifecycle = createRequestLifecycle({
      corsOrigins: new Set(),
      observe: () => undefined,
      logger: pino({ level: 'silent' }),
      closing,
      budgets,
    });
    return served((request, response) => void lifecycle(request, response, 'x', work));
  };
  return { served, working };
};

export const ok = (): Promise<Answer> => Promise.resolve({ status: 200, body: '{}' });

export const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
