import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { answerWithinMs } from '../limits.ts';

// As in `http/server/server.ts`: a named import would load a whole HTTP client and a WebSocket.
const { Agent: HttpAgent, request: overHttp } = process.getBuiltinModule('node:http');

export type Call = {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  readonly withinMs?: number;
};

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

/** Persistent connections to one server. */
export type Connections = {
  /** Sends a request. Rejects where no response arrives. */
  readonly send: (call: Call) => Promise<Answer>;
  readonly close: () => void;
};

export const connectTo = (base: string, connectionsMax: number): Connections => {
  const { protocol, hostname, port, pathname } = new URL(base);
  const prefix = pathname.replace(/\/$/, '');
  const secure = protocol === 'https:';
  const options = { keepAlive: true, maxSockets: connectionsMax, scheduling: 'lifo' } as const;
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
  const request = secure ? overHttps : overHttp;

  const send = ({ method, path, headers, body, withinMs = answerWithinMs }: Call): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
      const sent = request({ agent, hostname, port, method, path: prefix + path, headers: { ...headers, ...length } });
      sent.setTimeout(withinMs, () => sent.destroy(new Error(`${method} ${path}: no response within ${withinMs} ms`)));
      sent.once('response', (response) => resolve(answerOf(response)));
      sent.once('error', reject);
      sent.end(body);
    });

  return { send, close: () => agent.destroy() };
};

const answerOf = (response: IncomingMessage): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    response.once('error', reject);
  });

/** Returns the parsed JSON of a response, or undefined where the response is not JSON. */
export const jsonOf = <Body>({ text }: Answer): Body | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
