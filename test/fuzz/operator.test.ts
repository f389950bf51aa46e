import { join } from 'node:path';
import type { Answer, Call, Client } from '../api/client.ts';
import { openClient } from '../api/client.ts';
import { bodyOf } from '../api/session.ts';
import { useServer } from '../model/server.ts';
import { expectReady, expectSound } from './health.ts';
import { faultOf } from './judge.ts';
import { note, type OperatorRoute, operatorRequest, type Registered, type Registry } from './operator-requests.ts';
import { batchMs, requests, seeded } from './settings.ts';
import { atOnce, expectAll, sendAll } from './volley.ts';

const server = useServer();
let client: Client;
const registries: readonly Registry[] = Array.from({ length: atOnce }, () => new Map());

beforeAll(() => {
  client = openClient(server().urls().operator);
});
afterAll(() => client.close());

/** Lists come before the requests that make them long. */
const routes: readonly OperatorRoute[] = [
  { method: 'GET', path: '/livez' },
  { method: 'GET', path: '/servez' },
  { method: 'GET', path: '/readyz' },
  { method: 'GET', path: '/metrics' },
  { method: 'GET', path: '/operator/status' },
  { method: 'GET', path: '/operator/applications' },
  { method: 'POST', path: '/operator/backup' },
  { method: 'POST', path: '/operator/rebuild' },
  { method: 'POST', path: '/operator/verify' },
  { method: 'POST', path: '/operator/media/prune' },
  { method: 'POST', path: '/operator/forget' },
  { method: 'POST', path: '/operator/hold' },
  { method: 'POST', path: '/operator/release' },
  { method: 'POST', path: '/operator/history' },
  { method: 'POST', path: '/operator/diff' },
  { method: 'POST', path: '/operator/blame' },
  { method: 'POST', path: '/operator/activity' },
  { method: 'POST', path: '/operator/applications' },
  { method: 'POST', path: '/operator/applications/:id/rotate' },
  { method: 'DELETE', path: '/operator/applications/:id/secrets/:secret' },
  { method: 'POST', path: '/operator/applications/:id/suspend' },
  { method: 'POST', path: '/operator/applications/:id/resume' },
  { method: 'POST', path: '/operator/applications/:id/scopes' },
  { method: 'DELETE', path: '/operator/applications/:id' },
];

/** More senders than questions that an account may have in progress ask for the history of one account. */
const isOverLimit = ({ status, text }: Answer): boolean => status === 503 && text.includes('Too many questions about the history');

/** Judges a response like `faultOf`, but accepts metrics, which are text, and questions about the history above their limit. */
const judge = (call: Call, answer: Answer, tookMs: number): string | undefined =>
  (answer.status === 200 && call.path.startsWith('/metrics')) || isOverLimit(answer) ? undefined : faultOf(call, answer, tookMs);

const registryOf = (sender: number): Registry => registries[sender] ?? new Map();

/** Returns paths to which no backup can be written: directories that are not empty, files, and invalid paths. */
const directories = (): readonly string[] => {
  const { directory } = server();
  return [
    directory,
    join(directory, 'log.db'),
    join(directory, 'log.db/below'),
    join(directory, 'media'),
    `${directory}/../${'x'.repeat(240)}/y`,
    '',
    ' ',
    'a\u0000b',
  ];
};

/** Checks that every application that was registered and not deleted is in its expected state. */
const expectRegistered = async (): Promise<void> => {
  const { applications } = bodyOf<{ applications: readonly Registered[] }>(await server().operator('GET', '/applications'), 200);
  const shown = new Map(
    applications.map(({ client_id, name, status, secret_ids }) => [client_id, { client_id, name, status, secret_ids }]),
  );
  const expected = registries.flatMap((registry) => [...registry.values()]);
  expect(expected.filter((application) => JSON.stringify(shown.get(application.client_id)) !== JSON.stringify(application))).toEqual([]);
  const alive = [...shown.values()].filter(({ status }) => status !== 'deleted');
  // The application that the first start creates belongs to no sender.
  expect(alive.length).toBe(expected.length + 1);
};

describe('bad input to the operator API', () => {
  for (const route of routes) {
    it(
      `does no harm in ${requests} requests to ${route.method} ${route.path}`,
      seeded(async () => {
        const around = { token: server().urls().operatorToken, directories: directories() };
        const statuses = await sendAll({
          send: client.send,
          salt: `${route.method} ${route.path}`,
          next: (random, sender) => operatorRequest(route, registryOf(sender), around, random),
          onResponse: (call, answer, sender) => note(registryOf(sender), call, answer),
          judge,
        });
        expectAll(statuses);
        await expectReady(server());
        await expectRegistered();
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
