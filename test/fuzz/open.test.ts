import { contentEndpoints } from '@waymark/http/api/endpoints.ts';
import type { Answer, Call } from '../api/client.ts';
import { aCategory } from '../api/samples.ts';
import { bodyOf, type Session } from '../api/session.ts';
import type { Random } from '../crash/random.ts';
import { useServer } from '../model/server.ts';
import { authorization, contentType, oddHeaders } from './headers.ts';
import { expectReady, expectSound } from './health.ts';
import { faultOf } from './judge.ts';
import { oddIds } from './odd.ts';
import { batchMs, requests, seeded } from './settings.ts';
import { expectAll, sendAll } from './volley.ts';

const server = useServer();
let session: Session;
let media = '';

beforeAll(async () => {
  session = await server().session(await server().application('open'));
  const { image_url } = await session.create('/categories', await aCategory());
  media = new URL(String(image_url)).pathname;
}, batchMs);

const readers: readonly string[] = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'DELETE',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
  'PURGE',
];

const mediaNames: readonly string[] = [
  ...oddIds,
  '',
  '..%2f..%2flog.db',
  '..%5c..%5clog.db',
  '%2e%2e%2f%2e%2e%2fkeys.json',
  '....//....//keys.json',
  'incoming',
  'ab',
  'ab/cd',
  `${'0'.repeat(32)}.png`,
  `${'0'.repeat(32)}.svg`,
  `${'0'.repeat(33)}.png`,
  `${'Z'.repeat(32)}.png`,
  'log.db',
];

/** Returns the path of an existing file, or a path similar to it. */
const mediaPath = (random: Random): string => {
  if (random.chance(0.3)) return media;
  if (random.chance(0.7)) return `/media/${random.pick(mediaNames)}`;
  const at = '/media/'.length + random.below(32);
  return `${media.slice(0, at)}${random.pick(['f', '0', 'F', '.', '%2f'])}${media.slice(at + 1)}`;
};

const oddPaths: readonly string[] = [
  '/',
  '/v3.0',
  '/v3.0/',
  '/v2.0/lists',
  '/V3.0/lists',
  '/v3.0//lists',
  '/v3.0/lists/1/2/3',
  '/v3.0/lists/1/pinpoints/2',
  '/v3.0/oauth2',
  '/v3.0/oauth2/authorize',
  '//evil.example/v3.0/lists',
  '/%2e%2e/%2e%2e/keys.json',
  '/../../keys.json',
  '/v3.0/%',
  '/%c0%af',
  '/operator/status',
  '/metrics',
  '/readyz',
  '/.well-known/',
  '/.git/config',
  '/openapi.json/x',
  '/favicon.ico',
  `/${'x'.repeat(7_000)}`,
  `/v3.0/listings?${'a=b&'.repeat(1_500)}`,
  '/v3.0/listings#fragment',
  '*',
];

/** Returns methods that a path of the API does not support. Other tests cover the supported ones. */
const methodsBeside = (path: keyof typeof contentEndpoints): readonly string[] =>
  ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'LINK', 'QUERY', 'OPTIONS'].filter(
    (method) => !(method in contentEndpoints[path]),
  );

const nowhere = (random: Random): { readonly method: string; readonly path: string } => {
  const known = random.pick(Object.keys(contentEndpoints) as (keyof typeof contentEndpoints)[]) ?? '/lists';
  if (random.chance(0.5)) return { method: random.pick(readers) ?? 'GET', path: random.pick(oddPaths) ?? '/' };
  return { method: random.pick(methodsBeside(known)) ?? 'PATCH', path: `/v3.0${known.replace(':id', random.pick(oddIds) ?? '1')}` };
};

const around = ({ method, path }: { readonly method: string; readonly path: string }, random: Random): Call => {
  const hasBody = random.chance(0.2);
  return {
    method,
    path,
    headers: {
      ...(random.chance(0.5) ? authorization(`Bearer ${session.token}`, random) : {}),
      ...(hasBody ? contentType('application/json', random) : {}),
      ...oddHeaders(random),
    },
    body: hasBody ? '{"name":"x"}' : undefined,
  };
};

/** Judges a response like `faultOf`, but accepts the file itself, which is not JSON. */
const judgeMedia = (call: Call, answer: Answer, tookMs: number): string | undefined => {
  if (answer.status !== 200 || call.method === 'HEAD') return faultOf(call, answer, tookMs);
  return answer.headers['content-type'] === 'image/png' && call.path.startsWith(media) ? undefined : 'serves an unexpected file';
};

const query = (random: Random): string =>
  random.chance(0.2) ? `?${random.pick(['x', 'a=b', '%', '__proto__=1', 'x'.repeat(3_000)])}` : '';
const reading = (random: Random): string => random.pick(readers) ?? 'GET';

const targets: Readonly<Record<string, (random: Random) => { readonly method: string; readonly path: string }>> = {
  '/media/:name': (random) => ({ method: reading(random), path: mediaPath(random) + query(random) }),
  '/openapi.json': (random) => ({ method: random.chance(0.6) ? 'HEAD' : reading(random), path: `/openapi.json${query(random)}` }),
  '/.well-known/oauth-authorization-server': (random) => ({
    method: reading(random),
    path: `/.well-known/oauth-authorization-server${query(random)}`,
  }),
  'unknown paths and methods': nowhere,
};

describe('bad input to public and unknown paths', () => {
  for (const [name, target] of Object.entries(targets)) {
    it(
      `does no harm in ${requests} requests to ${name}`,
      seeded(async () => {
        const before = bodyOf(await session.get('/categories'), 200);
        const statuses = await sendAll({
          send: server().send,
          salt: name,
          next: (random) => around(target(random), random),
          judge: name === '/media/:name' ? judgeMedia : faultOf,
        });
        expectAll(statuses);
        await expectReady(server());
        expect(bodyOf(await session.get('/categories'), 200)).toEqual(before);
        expect(bodyOf(await session.get('/lists'), 200)).toEqual({ results: [], next: null, previous: null });
      }),
      batchMs,
    );
  }

  it(
    'leaves the log and the read models consistent',
    seeded(() => expectSound(server())),
    batchMs,
  );
});
