import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './call.ts';
import type { HttpError } from './errors.ts';
import { requestIdCharactersMax } from './limits.ts';
import { type OpenResponse, writeOpen } from './server/open-body.ts';
import { stream } from './server/streaming.ts';

const requestId = new RegExp(`^[\\x21-\\x7e]{1,${requestIdCharactersMax}}$`);

/** Returns the client's own request id if it is valid, or else a new one. */
export const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && requestId.test(given) ? given : randomUUID();
};

/** Headers of every JSON response that is private to one client, unless the response sets them itself. */
const privateHeaders: readonly (readonly [string, string])[] = [
  ['Cache-Control', 'private, no-cache'],
  ['Vary', 'Authorization'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** Writes a response: text in one piece, any other body piece by piece. For these, the promise resolves when the last piece is written.
 * @param extra headers that the request lifecycle adds (request id, CORS, `Connection: close`)
 * @param open what a body that stays open reports to, if there is one
 * @throws only if the body cannot be read */
export const send = (
  response: ServerResponse,
  answer: Answer,
  extra: Readonly<Record<string, string>>,
  open?: OpenResponse,
): Promise<void> | undefined => {
  const { status, body, headers = {} } = answer;
  // Node writes a flat list fastest.
  const list: (string | number)[] = [];
  for (const [name, value] of privateHeaders) if (headers[name] === undefined && extra[name] === undefined) list.push(name, value);
  for (const name in headers) if (extra[name] === undefined) list.push(name, headers[name] as string);
  for (const name in extra) list.push(name, extra[name] as string);
  if (body !== undefined) {
    if (headers['Content-Type'] === undefined) list.push('Content-Type', 'application/json');
    if (typeof body === 'string') list.push('Content-Length', Buffer.byteLength(body));
    else if ('size' in body) list.push('Content-Length', body.size);
  } else if (status !== 204 && status !== 304) {
    list.push('Content-Length', 0);
  }
  if (typeof body === 'object' && response.req.method !== 'HEAD') {
    const writeHead = (): void => void response.writeHead(status, list);
    return 'size' in body ? stream(response, body, writeHead) : writeOpen(response, body, writeHead, open);
  }
  response.writeHead(status, list);
  response.end(typeof body === 'string' ? body : undefined);
  return undefined;
};

/** Returns a problem as a response. */
export const errorAnswer = (problem: HttpError): Answer => ({
  status: problem.status,
  body: JSON.stringify(problem.body),
  headers: problem.headers,
});
