import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../api/client.ts';
import type { Random } from '../crash/random.ts';
import { authorization, contentType, oddHeaders } from './headers.ts';
import { mutated, mutatedText } from './mutations.ts';
import { oddIds, oddText } from './odd.ts';
import { bodySchema, type Document, type Maker } from './schemas.ts';
import { type ExpectedContent, type Kind, kinds } from './shadow.ts';

/** A client that sends random requests, and the objects to which they can refer. */
export type Fuzzer = { readonly token: string; readonly shadow: ExpectedContent; readonly gone: number[]; cursors: string[] };

/** A method and a path from the table of endpoints. */
export type Route = { readonly method: string; readonly path: string };

export const kindOf = (path: string): Kind => kinds.find((kind) => path.startsWith(`/${kind}`)) ?? 'lists';

/** Returns an id: mostly of an own object, otherwise of a deleted one, of another account's, or of none. */
const anId = ({ shadow, gone }: Fuzzer, kind: Kind, random: Random): string => {
  const own = [...shadow.things[kind].keys()].slice(-recentMax);
  if (own.length > 0 && random.chance(0.7)) return String(random.pick(own));
  if (random.chance(0.3)) return String(random.pick(gone) ?? 1);
  return random.chance(0.3) ? String(1 + random.below(2_000)) : (random.pick(oddIds) ?? '0');
};

const recentMax = 50;

const queries: readonly string[] = [
  'limit=0',
  'limit=-1',
  'limit=x',
  'limit=9e9',
  'limit[]=1',
  '&&=&',
  '%',
  '%00=%00',
  '__proto__[a]=1',
  'cursor',
  'x=1&'.repeat(50),
];

const aQuery = (fuzzer: Fuzzer, kind: Kind, random: Random): string => {
  const filter = kind === 'events' ? 'pinpoint' : 'list';
  const of: Kind = kind === 'events' ? 'pinpoints' : 'lists';
  const parts: string[] = [];
  if (random.chance(0.5)) parts.push(`limit=${random.below(30)}`);
  if (random.chance(0.4)) parts.push(`${filter}=${anId(fuzzer, of, random)}`);
  if (random.chance(0.3)) parts.push(`cursor=${aCursor(fuzzer, random)}`);
  if (random.chance(0.3)) parts.push(random.pick(queries) ?? '');
  if (random.chance(0.05)) parts.push(`${filter}=${encodeURIComponent(wellFormed(oddText(random)))}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
};

const wellFormed = (text: string): string => text.toWellFormed();

/** Returns a cursor that the API issued, unchanged or altered. */
const aCursor = ({ cursors }: Fuzzer, random: Random): string => {
  const cursor = random.pick(cursors) ?? 'AAAA';
  if (random.chance(0.5)) return cursor;
  const at = random.below(cursor.length);
  return (
    random.pick([cursor.slice(0, at), `${cursor.slice(0, at)}A${cursor.slice(at + 1)}`, `${cursor}${cursor}`, '', 'x'.repeat(3_000)]) ?? ''
  );
};

/** In most cases, replaces references in a body with ids of existing objects. */
const referring = (body: unknown, path: string, fuzzer: Fuzzer, random: Random): unknown => {
  const own = (kind: Kind): number | undefined => random.pick([...fuzzer.shadow.things[kind].keys()].slice(-recentMax));
  if (Array.isArray(body)) return body.map((element) => (random.chance(0.8) ? { id: own('pinpoints') ?? 1 } : element));
  if (typeof body !== 'object' || body === null || random.chance(0.1)) return body;
  if (path.startsWith('/events')) return { ...body, pinpoint: own('pinpoints') ?? 1 };
  return 'category' in body ? { ...body, category: random.chance(0.5) ? null : (own('categories') ?? null) } : body;
};

/** Returns a body that fits the schema, or one with altered values, text or bytes. */
const aBody = (document: Document, make: Maker, { method, path }: Route, fuzzer: Fuzzer, random: Random): string | Buffer | undefined => {
  const schema = bodySchema(document, method, `/v3.0${path.replace(':id', '{id}')}`);
  if (schema === undefined) return random.chance(0.05) ? '{"unexpected":true}' : undefined;
  let value = referring(make(schema, random), path, fuzzer, random);
  for (let times = random.chance(0.35) ? 0 : 1 + random.below(3); times > 0; times -= 1) value = mutated(value, random);
  const text = JSON.stringify(value) ?? 'null';
  return random.chance(0.15) ? mutatedText(text, random) : text;
};

/** Sometimes returns an Idempotency-Key from a small set, so that keys repeat. */
const aKey = (random: Random): OutgoingHttpHeaders => (random.chance(0.1) ? { 'Idempotency-Key': `key-${random.below(40)}` } : {});

/** Builds a request that reaches a route, whatever else is wrong with the request. */
export const contentRequest = (document: Document, make: Maker, route: Route, fuzzer: Fuzzer, random: Random): Call => {
  const { method, path } = route;
  const kind = kindOf(path);
  const body = aBody(document, make, route, fuzzer, random);
  const query = method === 'GET' || random.chance(0.02) ? aQuery(fuzzer, kind, random) : '';
  return {
    method,
    path: `/v3.0${path.replace(':id', anId(fuzzer, kind, random))}${random.chance(0.05) ? '/' : ''}${query}`,
    headers: {
      ...authorization(`Bearer ${fuzzer.token}`, random),
      ...(body === undefined ? {} : contentType('application/json', random)),
      ...(method === 'POST' ? aKey(random) : {}),
      ...oddHeaders(random),
    },
    body,
  };
};
