import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './call.ts';
import type { HttpError } from './errors.ts';
import { requestIdCharactersMax } from './limits.ts';
import { stream } from './server/streaming.ts';

const requestId = new RegExp(`^[\\x21-\\x7e]{1,${requestIdCharactersMax}}$`);

/** The client's own request id, where it is one, or a new one. */
export const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestId.test(given) ? given : randomUUID();
};

/** Headers of every JSON answer that belongs to one client alone, where the answer does not say otherwise. */
const privateHeaders: readonly (readonly [string, string])[] = [
  ['Cache-Control', 'private, no-cache'],
  ['Vary', 'Authorization'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** Writes an answer: text in one piece, what is streamed piece by piece; then the promise tells when the last one is written. `extra`: what
 * the edge adds (request id, CORS, `Connection: close`). @throws only where the body cannot be read */
export const send = (response: ServerResponse, answer: Answer, extra: Readonly<Record<string, string>>): Promise<void> | undefined => {
  const { status, body, headers = {} } = answer;
  // A flat list is what Node writes out fastest.
  const list: (string | number)[] = [];
  for (const [name, value] of privateHeaders) if (headers[name] === undefined && extra[name] === undefined) list.push(name, value);
  for (const name in headers) if (extra[name] === undefined) list.push(name, headers[name] as string);
  for (const name in extra) list.push(name, extra[name] as string);
  if (body !== undefined) {
    if (headers['Content-Type'] === undefined) list.push('Content-Type', 'application/json');
    list.push('Content-Length', typeof body === 'string' ? Buffer.byteLength(body) : body.size);
  } else if (status !== 204 && status !== 304) {
    list.push('Content-Length', 0);
  }
  if (typeof body === 'object' && response.req.method !== 'HEAD') return stream(response, body, () => response.writeHead(status, list));
  response.writeHead(status, list);
  response.end(typeof body === 'string' ? body : undefined);
  return undefined;
};

/** A problem as an answer. */
export const errorAnswer = (problem: HttpError): Answer => ({
  status: problem.status,
  body: JSON.stringify(problem.body),
  headers: problem.headers,
});
