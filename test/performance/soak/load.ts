import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Query } from '../bench/client.ts';
import type { Account } from '../bench/cluster/installation.ts';
import type { Target } from '../bench/load.ts';
import { firstNumber, pinpointParts } from '../bench/pinpoint.ts';
import { soakLimits } from './limits.ts';

/** The results of requests since the last call. */
export type Answered = { readonly right: number; readonly unavailable: number; readonly odd: readonly string[] };

export type SteadyLoad = {
  readonly answered: () => Answered;
  readonly stop: () => Promise<void>;
};

type Call = () => readonly [url: string, question: Query, status: number];

const oddKept = 20;

/** Sends all kinds of client requests at a steady rate, over all accounts, whether or not they succeed. */
export const steadyLoad = (base: string, accounts: readonly Account[], targets: readonly Target[]): SteadyLoad => {
  const stopping = new AbortController();
  const inProgress = new Set<Promise<void>>();
  let counted = { right: 0, unavailable: 0, odd: [] as string[] };
  let number = firstNumber();
  const body = (): string => {
    number += 1;
    return pinpointParts.join(String(number));
  };
  const account = (): Account => accounts[number++ % accounts.length] as Account;
  const target = (): Target => targets[Math.floor(Math.random() * targets.length)] as Target;

  const calls: readonly (readonly [perSecond: number, call: Call])[] = [
    [soakLimits.createsPerSecond, () => [`${base}/v3.0/pinpoints`, { method: 'POST', token: account().token, body: body() }, 201]],
    [soakLimits.editsPerSecond, () => edit(base, target(), body())],
    [soakLimits.readsPerSecond, () => read(base, target())],
    [soakLimits.pagesPerSecond, () => [`${base}/v3.0/pinpoints?limit=20`, { token: account().token }, 200]],
    [soakLimits.tokensPerSecond, () => token(base, account())],
  ];

  const send = async (call: Call): Promise<void> => {
    const [url, question, wanted] = call();
    const { status } = await ask(url, { timeoutMs: soakLimits.requestMs, ...question }).catch((error: Error) => ({
      status: error.message,
    }));
    if (status === wanted) counted.right += 1;
    else if (status === 503) counted.unavailable += 1;
    else if (counted.odd.length < oddKept) counted.odd.push(`${question.method ?? 'GET'} ${new URL(url).pathname}: ${status}`);
  };

  const repeat = async (perSecond: number, call: Call): Promise<void> => {
    const startedMs = performance.now();
    for (let begun = 0; !stopping.signal.aborted; ) {
      const due = Math.floor(((performance.now() - startedMs) / 1_000) * perSecond);
      for (; begun < due; begun += 1) {
        if (inProgress.size >= soakLimits.underWayMax) continue;
        const sending: Promise<void> = send(call).finally(() => inProgress.delete(sending));
        inProgress.add(sending);
      }
      await pause(5);
    }
  };
  const repeating = calls.map(([perSecond, call]) => repeat(perSecond, call));
  return {
    answered: () => {
      const sinceThen = counted;
      counted = { right: 0, unavailable: 0, odd: [] };
      return sinceThen;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(repeating);
      await Promise.all(inProgress);
    },
  };
};

const edit = (base: string, { path, token }: Target, body: string) => [base + path, { method: 'PUT', token, body }, 200] as const;

const read = (base: string, { path, token }: Target) => [base + path, { token }, 200] as const;

const token = (base: string, { id, secret }: Account) =>
  [
    `${base}/v3.0/oauth2/token`,
    {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=${id}`,
    },
    200,
  ] as const;
