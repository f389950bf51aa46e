import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as overHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';

const socketsMax = 64;
const answerWithinMs = 120_000;
const bytesWithinMs = 20_000;
/** How long an idle connection may be reused. The server closes a connection that was idle for half a minute, perhaps just as it is used. */
const idleMsMax = 5_000;

/** One request, sent as it is: only a length is added. */
export type Call = {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer | undefined;
  /** The address of this machine to send from. */
  readonly from?: string;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed JSON of a JSON response; undefined for any other response. */
  readonly body: unknown;
};

export type Client = {
  readonly send: (call: Call) => Promise<Answer>;
  /** Sends bytes as they are over a separate connection. Returns everything that arrives until the server closes it. */
  readonly sendBytes: (bytes: string | Buffer) => Promise<string>;
  readonly close: () => void;
};

export const openClient = (base: string): Client => {
  const { protocol, hostname, port } = new URL(base);
  const secure = protocol === 'https:';
  const options = { keepAlive: true, maxSockets: socketsMax, timeout: idleMsMax };
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);

  let usedMs = performance.now();
  const send = async (call: Call): Promise<Answer> => {
    // After a long pause of this process, the timeouts of idle connections fire only now.
    if (performance.now() - usedMs > idleMsMax) await pause(1);
    usedMs = performance.now();
    return sendNow(call);
  };
  const sendNow = (call: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = call.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(call.body) };
      const outgoing = (secure ? overHttps : overHttp)({
        agent,
        hostname,
        port,
        method: call.method,
        path: call.path,
        headers: { ...length, ...call.headers },
        ...(call.from === undefined ? {} : { localAddress: call.from }),
        signal: AbortSignal.timeout(answerWithinMs),
      });
      outgoing.on('response', (incoming) => resolve(readAnswer(incoming)));
      outgoing.on('error', (error) => reject(new Error(`${call.method} ${call.path}: ${error.message}`, { cause: error })));
      outgoing.end(call.body);
    });

  const sendBytes = (bytes: string | Buffer): Promise<string> =>
    new Promise((resolve, reject) => {
      const to = { host: hostname, port: Number(port || (secure ? 443 : 80)) };
      const socket = secure ? connectSecurely({ ...to, servername: hostname }) : connect(to);
      const received: Buffer[] = [];
      socket.setTimeout(bytesWithinMs, () => socket.destroy());
      socket.on('data', (chunk) => received.push(chunk));
      socket.on('close', () => resolve(Buffer.concat(received).toString()));
      socket.on('error', (error: Error) => (received.length > 0 ? undefined : reject(error)));
      socket.write(bytes);
    });

  return { send, sendBytes, close: () => agent.destroy() };
};

const readAnswer = async (incoming: IncomingMessage): Promise<Answer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  const isJson = (incoming.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    bytes,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
};

/** Returns what most tests compare: the status of a response and its JSON. */
export const statusAndBody = ({ status, body }: Answer): { status: number; body: unknown } => ({ status, body });

/** Returns the fields that a 400 reports as faulty, in alphabetical order. For any other status it returns the status. */
export const faults = ({ status, body }: Answer): string[] | number =>
  status === 400 && typeof body === 'object' && body !== null ? Object.keys(body).sort() : status;

/** Returns the status in the first line of a raw response. */
export const statusOfBytes = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

/** Runs `work` on every item, `atOnce` items at a time. The results are in the order of the items. */
export const inFlight = async <Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
};
