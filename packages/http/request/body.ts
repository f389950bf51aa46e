import type { IncomingMessage } from 'node:http';
import { badRequest, type HttpError, unsupportedMediaType } from '../errors.ts';
import { bodyDepthMax } from '../limits.ts';
import { createBodyTurns } from './body-turns.ts';
import { exceededBound } from './json-values.ts';
import type { BodyKind, RequestBody } from './request-body.ts';

const turnToParse = createBodyTurns();

export type Body = { readonly bytes: Buffer; readonly json: unknown };

/** Reads a whole JSON body. An empty body counts as `{}`.
 * @throws HttpError 408, 413, 415, 400, 503 */
export const readJson = async (call: { readonly request: IncomingMessage; readonly body: RequestBody }, kind: BodyKind): Promise<Body> => {
  const bytes = await call.body.read(kind);
  if (bytes.length === 0) return { bytes, json: {} };
  const { 'content-type': type } = call.request.headers;
  if (!isContentType(type, 'application/json')) throw unsupportedMediaType(`Unsupported media type "${type ?? ''}" in request.`);
  const turn = turnToParse(bytes.length);
  if (turn !== undefined) await turn;
  return { bytes, json: parseJson(bytes, kind.valuesMax) };
};

/** Returns whether a `Content-Type` is the given type, in UTF-8 if it names a charset. It is parsed in parts, because a single pattern for
 * all of it can be made to take a second. */
export const isContentType = (given: string | undefined, type: string): boolean => {
  const [name, ...parameters] = (given ?? '').split(';').map((part) => part.trim().toLowerCase());
  return name === type && parameters.every((parameter) => /^(charset\s*=\s*("utf-8"|utf-8))?$/.test(parameter));
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseJson = (bytes: Buffer, valuesMax: number): unknown => {
  const exceeded = exceededBound(bytes, { valuesMax, depthMax: bodyDepthMax });
  if (exceeded === 'depthMax') throw unparsable(`nested deeper than ${bodyDepthMax}`);
  if (exceeded === 'valuesMax') throw unparsable(`more than ${valuesMax} values`);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw unparsable(error instanceof SyntaxError ? error.message : 'the body is not UTF-8');
  }
};

const unparsable = (reason: string): HttpError => badRequest(`JSON parse error - ${reason}`);
