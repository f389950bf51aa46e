import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from './limits.ts';
import { drawn, type Load } from './load.ts';
import { firstNumber } from './pinpoint.ts';

export type Endpoint = { readonly base: string; readonly token: string };

export type Query = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly body?: string;
  readonly timeoutMs?: number;
};

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

/** The agent for node:http, which is far cheaper than fetch. With fetch, filling a server would take longer than the server needs. */
const agent = new Agent({ keepAlive: true, maxSockets: limits.connections });

export const ask = (url: string, question: Query = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, toRequest(question), (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }), reject);
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`${url}: no answer`)));
    sent.end(question.body);
  });

const toRequest = ({ method = 'GET', headers, token, body, timeoutMs = limits.callMs }: Query): RequestOptions => ({
  agent,
  method,
  timeout: timeoutMs,
  headers: {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...headers,
  },
});

/** Returns the JSON of a response.
 * @throws if the status is not 2xx */
export const call = async (url: string, question: Query): Promise<unknown> => {
  const { status, body } = await ask(url, question);
  if (status >= 200 && status < 300) return JSON.parse(body);
  throw new Error(`${question.method ?? 'GET'} ${url}: ${status} ${body.slice(0, 500)}`);
};

/** Returns the status of a response, or 0 if no server answers. */
export const statusOf = async (url: string, token: string): Promise<number> => {
  try {
    return (await ask(url, { token })).status;
  } catch {
    return 0;
  }
};

/** Waits until a check succeeds.
 * @throws if that takes longer than `withinMs` */
export const until = async (what: string, look: () => Promise<boolean>, withinMs: number = limits.readyMs): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await delay(limits.readyPollMs);
  }
};

type Named = { readonly name: string; readonly description: string };

/** Sends a request of a load once and checks the response in detail. */
export const probe = async (load: Load): Promise<void> => {
  const { base, method, parts } = load;
  const { path, token } = drawn(load);
  const sent = parts?.join(String(firstNumber()));
  const answer = await ask(base + path, { method, token, ...(sent !== undefined && { body: sent }) });
  if (isRight(load, answer, sent)) return;
  throw new Error(`${method} ${path} answered ${answer.status} ${answer.body.slice(0, 500)}`);
};

const isRight = ({ status, results }: Load, answer: Answer, sent: string | undefined): boolean => {
  if (answer.status !== status) return false;
  const body = JSON.parse(answer.body);
  if (results !== undefined) return body.results.length === results;
  return sent === undefined || isAsSent(body, JSON.parse(sent));
};

const isAsSent = (answer: Named, sent: Named): boolean => answer.name === sent.name && answer.description === sent.description;
