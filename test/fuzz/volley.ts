import type { Answer, Call } from '../api/client.ts';
import type { Send } from '../api/session.ts';
import { type Random, randomFrom } from '../crash/random.ts';
import { faultOf, formatRequest } from './judge.ts';
import { requests, seed } from './settings.ts';

/** The number of requests in flight. Each sender sends its requests one after another. */
export const atOnce = 32;

export type FuzzRun = {
  readonly send: Send;
  /** Makes the next request of a sender. */
  readonly next: (random: Random, sender: number) => Call | Promise<Call>;
  /** Receives every response that is not a fault by itself. */
  readonly onResponse?: (call: Call, answer: Answer, sender: number) => void;
  /** A different salt makes different requests from the same seed. */
  readonly salt: string;
  /** Judges the responses instead of `faultOf`, if they need not be JSON. */
  readonly judge?: typeof faultOf;
};

/** Sends the configured number of requests and judges every response.
 * @returns the number of responses of each status */
export const sendAll = async ({ send, next, onResponse, salt, judge = faultOf }: FuzzRun): Promise<ReadonlyMap<number, number>> => {
  const statuses = new Map<number, number>();
  let sent = 0;
  const one = async (random: Random, sender: number): Promise<void> => {
    const call = await next(random, sender);
    const startedMs = performance.now();
    const answer = await send(call);
    const fault = judge(call, answer, performance.now() - startedMs);
    if (fault !== undefined) throw new Error(`${formatRequest(call)} answered ${answer.status} ${answer.text.slice(0, 500)}: it ${fault}`);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    onResponse?.(call, answer, sender);
  };
  const work = async (_: unknown, sender: number): Promise<void> => {
    const random = randomFrom(seed + numberOf(`${salt} ${sender}`));
    while (sent < requests) {
      sent += 1;
      await one(random, sender);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return statuses;
};

const numberOf = (text: string): number => {
  let number = 7;
  for (const character of text) number = Math.imul(number, 31) + character.charCodeAt(0);
  return number >>> 0;
};

/** Checks that every request was answered, and not all of them with the same status. */
export const expectAll = (statuses: ReadonlyMap<number, number>): void => {
  const counts = [...statuses.values()];
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(requests);
  expect(counts.length).toBeGreaterThan(1);
};
