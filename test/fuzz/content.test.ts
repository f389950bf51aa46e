import { contentEndpoints } from '@waymark/http/api/endpoints.ts';
import type { Answer, Call } from '../api/client.ts';
import { createResponseCheck, type OpenApi, type ResponseCheck } from '../api/openapi.ts';
import { aFile, type FileObject } from '../api/pictures.ts';
import { aList, anEvent, aPinpoint } from '../api/samples.ts';
import { bodyOf, type Page, type Session } from '../api/session.ts';
import { useServer } from '../model/server.ts';
import { contentRequest, type Fuzzer, kindOf, type Route } from './content-requests.ts';
import { expectReady, expectSound } from './health.ts';
import { type Document, type Maker, makerFor } from './schemas.ts';
import { batchMs, requests, seeded } from './settings.ts';
import { compareAccount, emptyShadow, type Kind, kinds, record } from './shadow.ts';
import { atOnce, expectAll, sendAll } from './volley.ts';

const listsLookedAt = 3;

const server = useServer();

/** Statuses from the HTTP layer below the API, for requests that are not valid HTTP. */
const fromHttp = [408, 431];

type Worker = Fuzzer & { readonly session: Session };

let document: Document;
let make: Maker;
let hold: ResponseCheck;
let image: FileObject;
let workers: readonly Worker[] = [];

beforeAll(async () => {
  const published = bodyOf<Document & OpenApi>(await server().send({ method: 'GET', path: '/openapi.json' }), 200);
  document = published;
  hold = createResponseCheck(published);
  make = await makerFor(published);
  image = await aFile();
  workers = await Promise.all(Array.from({ length: atOnce }, newWorker));
}, batchMs);

const newWorker = async (_: unknown, nth: number): Promise<Worker> => {
  const session = await server().session(await server().application(`fuzzer ${nth}`));
  return { session, token: session.token, shadow: emptyShadow(), gone: [], cursors: [] };
};

const bodies: Readonly<Record<Kind, (worker: Worker) => object>> = {
  pinpoints: () => aPinpoint(),
  lists: () => aList(),
  categories: () => ({ name: 'Category', image_file: image }),
  events: ({ shadow }) => anEvent([...shadow.things.pinpoints.keys()].at(-1) ?? 0),
};

/** Makes sure that a worker has objects that requests could damage. */
const supply = async (worker: Worker, kind: Kind): Promise<void> => {
  if (kind === 'events') await supply(worker, 'pinpoints');
  const { things } = worker.shadow;
  while (things[kind].size < thingsMin) {
    const thing = await worker.session.create(`/${kind}`, bodies[kind](worker));
    things[kind].set(thing.id, thing);
  }
};

const thingsMin = 3;

/** Records deleted ids and cursors from a response, for later requests. */
const learn = ({ gone, cursors }: Fuzzer, call: Call, { status, body }: Answer): void => {
  const id = /\/(\d+)(?:[/?]|$)/.exec(call.path)?.[1];
  if (status === 204 && id !== undefined) gone.push(Number(id));
  const cursor = call.method === 'GET' && status === 200 ? /cursor=(.+)/.exec((body as Partial<Page>).next ?? '')?.[1] : undefined;
  if (cursor !== undefined) cursors.push(cursor);
  cursors.splice(0, cursors.length - cursorsMax);
};

const cursorsMax = 20;

/** Sends `requests` requests to a route. Each account sends its requests one after another. */
const fuzz = (route: Route): Promise<ReadonlyMap<number, number>> =>
  sendAll({
    send: server().send,
    salt: `${route.method} ${route.path}`,
    next: async (random, sender) => {
      const worker = workerOf(sender);
      await supply(worker, kindOf(route.path));
      return contentRequest(document, make, route, worker, random);
    },
    onResponse: (call, answer, sender) => {
      if (!fromHttp.includes(answer.status)) hold(call, answer);
      record(workerOf(sender).shadow, call, answer);
      learn(workerOf(sender), call, answer);
    },
  });

const workerOf = (sender: number): Worker => {
  const worker = workers[sender];
  if (worker === undefined) throw new Error(`there is no account for sender ${sender}`);
  return worker;
};

/** Requests that create objects come first, those that delete them last. */
const order: readonly string[] = ['POST', 'PUT', 'GET', 'DELETE'];
const routes: readonly Route[] = Object.entries(contentEndpoints)
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })))
  .toSorted(
    (one, other) =>
      order.indexOf(one.method) - order.indexOf(other.method) || (one.path === '/events' ? 1 : 0) - (other.path === '/events' ? 1 : 0),
  );

describe('bad input to the content API', () => {
  for (const route of routes) {
    it(
      `does no harm in ${requests} requests to ${route.method} ${route.path}`,
      seeded(async () => {
        expectAll(await fuzz(route));
        await expectReady(server());
        for (const { session, shadow } of workers) await compareAccount(session, shadow, listsLookedAt);
      }),
      batchMs,
    );
  }

  it(
    'leaves no partial changes',
    seeded(async () => {
      for (const { session, shadow } of workers) await compareAccount(session, shadow, Number.POSITIVE_INFINITY);
      for (const kind of kinds) expect(workers.some(({ shadow }) => shadow.things[kind].size > 0)).toBe(true);
      await expectSound(server());
    }),
    batchMs,
  );
});
