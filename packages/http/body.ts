import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { bodiesBytesMax, bodyBytesMax, bodyDepthMax } from './limits.ts';
import { badRequest, type Problem, tooLarge, unavailable, unsupportedMediaType } from './problems.ts';

export type Body = { readonly bytes: Buffer; readonly json: unknown };

/** Reads a whole JSON body; an empty one counts as `{}`.
 * @throws Problem 413, 415, 400, 503 */
export const readJson = async (request: IncomingMessage): Promise<Body> => {
  const bytes = await readBytes(request, bodyBytesMax);
  if (bytes.length === 0) return { bytes, json: {} };
  if (!isContentType(request.headers['content-type'], 'application/json')) {
    throw unsupportedMediaType(`Unsupported media type "${request.headers['content-type'] ?? ''}" in request.`);
  }
  return { bytes, json: parseJson(bytes) };
};

/** Of bodies that are being read, and of those whose requests are not answered yet. */
let bodiesBytes = 0;
const held = Symbol('bytes held');
type Holding = IncomingMessage & { [held]?: number };

const hold = (request: Holding, bytes: number): void => {
  bodiesBytes += bytes - (request[held] ?? 0);
  request[held] = bytes;
};

/** Gives back the room that a request's body has taken: to be called when the request is answered. */
export const releaseBody = (request: Holding): void => {
  if (request[held] !== undefined) hold(request, 0);
};

/** Whether a request says that it has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Reads a whole body of at most `bytesMax`.
 * @throws Problem 413, 415, 400, 503 */
export const readBytes = async (request: IncomingMessage, bytesMax: number): Promise<Buffer> => {
  if (request.headers['content-encoding'] !== undefined) throw unsupportedMediaType('Content encodings are not supported.');
  const announced = request.headers['content-length'];
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const expected = isChunked ? bytesMax : Number(announced ?? 0);
  if (expected > bytesMax) throw bodyTooLarge(bytesMax);
  if (expected === 0) return Buffer.alloc(0);
  if (bodiesBytes + expected > bodiesBytesMax) throw unavailable('Too many large requests at once.');
  hold(request, expected);
  try {
    const bytes = await getRawBody(request, { limit: bytesMax, length: announced ?? null });
    hold(request, bytes.length);
    return bytes;
  } catch (error) {
    throw bodyProblem(error, bytesMax);
  }
};

const bodyTooLarge = (bytesMax: number): Problem => tooLarge(`The body is larger than ${sizeText(bytesMax)}.`);

const sizeText = (bytes: number): string => (bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`);

const bodyProblem = (error: unknown, bytesMax: number): unknown => {
  const type = (error as { type?: string }).type;
  if (type === 'entity.too.large') return bodyTooLarge(bytesMax);
  return type === undefined ? error : badRequest('The body was cut off.');
};

/** Whether a `Content-Type` is this one, in UTF-8 if it names a charset. In parts: one pattern for all of it can be made to take a second. */
export const isContentType = (given: string | undefined, type: string): boolean => {
  const [name, ...parameters] = (given ?? '').split(';').map((part) => part.trim().toLowerCase());
  return name === type && parameters.every((parameter) => /^(charset\s*=\s*("utf-8"|utf-8))?$/.test(parameter));
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseJson = (bytes: Buffer): unknown => {
  let json: unknown;
  try {
    json = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw badRequest(`JSON parse error - ${error instanceof SyntaxError ? error.message : 'the body is not UTF-8'}`);
  }
  if (mayBeDeeper(bytes, bodyDepthMax) && isDeeper(json, bodyDepthMax)) {
    throw badRequest(`JSON parse error - nested deeper than ${bodyDepthMax}`);
  }
  return json;
};

/** Whether so many arrays and objects begin in a text at all: of most, no more has to be known. */
const mayBeDeeper = (bytes: Buffer, depth: number): boolean => occurrences(bytes, '{', depth) + occurrences(bytes, '[', depth) > depth;

/** How often a character occurs, counted to one above `most`. */
const occurrences = (bytes: Buffer, character: '{' | '[', most: number): number => {
  let count = 0;
  for (let at = bytes.indexOf(character); at >= 0 && count <= most; at = bytes.indexOf(character, at + 1)) count += 1;
  return count;
};

const isDeeper = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const key in value) {
    if (isDeeper((value as Record<string, unknown>)[key], depth - 1)) return true;
  }
  return false;
};
