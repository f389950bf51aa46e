import type { Answer } from '../../api/client.ts';
import { fileOf, picture } from '../../api/pictures.ts';
import type { Session, Thing } from '../../api/session.ts';
import type { Kind, Read, Result, Seen, Write } from '../history/history.ts';

const pageOf = 500;
const saidCharactersMax = 500;

/** Sends a request under the name of an operation, and returns its result. */
export const sendRequest = async (session: Session, requested: Write | Read, operation: string, key?: string): Promise<Result> => {
  const { method, path, body } = await requestOf(requested);
  try {
    const answer = await session.send(method, path, {
      headers: {
        'X-Request-Id': operation,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return resultOf(requested, answer);
  } catch (error) {
    return { type: 'lost', what: (error as Error).message };
  }
};

const requestOf = async (requested: Write | Read): Promise<{ method: string; path: string; body?: unknown }> => {
  switch (requested.type) {
    case 'create':
      return { method: 'POST', path: `/${requested.kind}`, body: await bodyOf(requested.kind, requested.value, requested.pinpoint, true) };
    case 'edit':
      return {
        method: 'PUT',
        path: `/${requested.kind}/${requested.id}`,
        body: await bodyOf(requested.kind, requested.value, requested.pinpoint, false),
      };
    case 'delete':
      return { method: 'DELETE', path: `/${requested.kind}/${requested.id}` };
    case 'add':
    case 'remove':
      return {
        method: requested.type === 'add' ? 'POST' : 'DELETE',
        path: `/lists/${requested.list}/pinpoints`,
        body: requested.pinpoints.map((id) => ({ id })),
      };
    case 'one':
      return { method: 'GET', path: `/${requested.kind}/${requested.id}` };
    case 'page': {
      const filter = requested.of === undefined ? '' : `${requested.kind === 'events' ? 'pinpoint' : 'list'}=${requested.of}&`;
      return { method: 'GET', path: `/${requested.kind}?${filter}limit=${pageOf}` };
    }
  }
};

let categoryPicture: Promise<ReturnType<typeof fileOf>> | undefined;

/** Returns a body whose fields all derive from the value, so that a mixture of two states is detected. */
const bodyOf = async (kind: Kind, value: string, place: number | undefined, creating: boolean): Promise<object> => {
  if (kind === 'categories') {
    // This is always the same picture, because a repeated request must be identical.
    categoryPicture ??= picture().then((bytes) => fileOf(bytes));
    return { name: value, ...(creating && { image_file: await categoryPicture }) };
  }
  return { ...textsOf(kind, value), ...(kind === 'events' && { pinpoint: place }) };
};

const textsOf = (kind: Kind, value: string): Readonly<Record<string, unknown>> => {
  const number = numberOf(value);
  switch (kind) {
    case 'pinpoints':
      return { name: value, description: `<p>${value}</p>`, tags: [value], latitude: number % 90, longitude: -(number % 180) };
    case 'lists':
      return { name: value, description: `<p>${value}</p>` };
    case 'events':
      return {
        name: value,
        description: `<p>${value}</p>`,
        tags: [value],
        dates: [{ start: momentOf(number), end: momentOf(number + 1) }],
      };
    case 'categories':
      return { name: value };
  }
};

/** Returns the last number in a value. */
const numberOf = (value: string): number => Number(/\d+$/.exec(value)?.[0] ?? 0);
const momentOf = (number: number): string => new Date(Date.UTC(2030, 0, 1) + number * 1_000).toISOString();

const resultOf = (requested: Write | Read, answer: Answer): Result => {
  const { status, headers, text } = answer;
  const said = text.slice(0, saidCharactersMax);
  const wrong: Result = { type: 'wrong', what: `${status} ${said}` };
  if (status === 503 || status === 429 || status === 409)
    return headers['retry-after'] === undefined ? wrong : { type: 'unavailable', status, what: said };
  if (status === 404) return { type: 'absent' };
  if (status === 400 && 'pinpoint' in requested && text.startsWith('{"pinpoint":')) return { type: 'absent', pinpoint: true };
  if (status !== statusOf(requested)) return wrong;
  try {
    return read(requested, answer);
  } catch (error) {
    return { type: 'wrong', what: (error as Error).message };
  }
};

const statusOf = ({ type }: Write | Read): number => {
  if (type === 'create') return 201;
  return type === 'delete' ? 204 : 200;
};

type MembershipAnswer = { readonly errors: readonly { readonly id: number }[]; readonly total: number };

/** Reads the result of a successful response.
 * @throws if the response is not consistent */
const read = (requested: Write | Read, { headers, body }: Answer): Result => {
  const lag = headers['x-read-lag'] !== undefined;
  const etag = headers.etag;
  switch (requested.type) {
    case 'create':
    case 'edit': {
      const { id, value } = seenIn(requested.kind, body as Thing);
      if (value !== requested.value) throw new Error(`The request had the value ${requested.value}, and the response has ${value}.`);
      return { type: 'done', id, lag, etag };
    }
    case 'delete':
      return { type: 'done', lag };
    case 'add':
    case 'remove': {
      const { errors, total } = body as MembershipAnswer;
      return { type: 'done', lag, refused: errors.map(({ id }) => id), total };
    }
    case 'one':
      return { type: 'seen', objects: [seenIn(requested.kind, body as Thing)], etag };
    case 'page':
      return { type: 'seen', objects: (body as { results: Thing[] }).results.map((thing) => seenIn(requested.kind, thing)) };
  }
};

/** Reads an object.
 * @throws if it mixes two values */
const seenIn = (kind: Kind, thing: Thing): Seen => {
  const value = String(thing['name']);
  for (const [field, expected] of Object.entries(textsOf(kind, value)))
    if (JSON.stringify(thing[field]) !== JSON.stringify(expected))
      throw new Error(`${kind}/${thing.id} mixes two values: ${JSON.stringify(thing)}`);
  return { id: thing.id, value, ...(kind === 'events' && { pinpoint: Number(thing['pinpoint']) }) };
};
