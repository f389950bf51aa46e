import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Call } from '../api/client.ts';
import { inFlight } from '../api/client.ts';
import { createResponseCheck, type OpenApi, type ResponseCheck } from '../api/openapi.ts';
import { bodyOf } from '../api/session.ts';
import { useServer } from '../model/server.ts';
import { type Client, formRequest } from './forms.ts';
import { expectReady, expectSound } from './health.ts';
import { batchMs, requests, seeded } from './settings.ts';
import { atOnce, expectAll, sendAll } from './volley.ts';

const tokensLookedAt = 20;

const server = useServer();

let hold: ResponseCheck;
let clients: readonly Client[] = [];
/** The tokens that were issued, and whether each is still valid. */
const given = new Map<string, boolean>();

beforeAll(async () => {
  hold = createResponseCheck(bodyOf<OpenApi>(await server().send({ method: 'GET', path: '/openapi.json' }), 200));
  const otherApplication = await server().application('foreign');
  clients = await Promise.all(
    Array.from({ length: atOnce }, async (_, nth) => ({
      application: await server().application(`client ${nth}`),
      otherApplication,
      tokens: [],
    })),
  );
}, batchMs);

const clientOf = (sender: number): Client => {
  const client = clients[sender];
  if (client === undefined) throw new Error(`there is no application for sender ${sender}`);
  return client;
};

/** Records the effect of a request, according to its response. */
const learn = (endpoint: string, call: Call, { status, body }: Answer, { tokens }: Client): void => {
  if (status !== 200) return;
  if (endpoint === 'token') {
    const { access_token } = body as { access_token: string };
    expect(given.has(access_token)).toBe(false);
    given.set(access_token, true);
    tokens.push(access_token);
  }
  const token = new URLSearchParams(call.body?.toString()).get('token') ?? '';
  if (endpoint === 'revoke' && tokens.includes(token)) given.set(token, false);
  if (endpoint === 'introspect') expect((body as { active: boolean }).active).toBe(tokens.includes(token) && given.get(token) === true);
};

/** Checks that the valid tokens are accepted, and no others. A revoked token is refused after one second at the latest. */
const expectTokens = async (): Promise<void> => {
  await pause(1_100);
  const some = [...given].slice(-tokensLookedAt * atOnce);
  await inFlight(atOnce, some, async ([token, isGood]) => {
    const headers = { Authorization: `Bearer ${token}` };
    const { status } = await server().send({ method: 'GET', path: '/v3.0/lists', headers });
    expect([token, isGood ? [200, 403].includes(status) : status === 401]).toEqual([token, true]);
  });
};

describe('bad input to the token endpoints', () => {
  it.each(['token', 'introspect', 'revoke', 'introspect'])(
    `does no harm in ${requests} requests to POST /v3.0/oauth2/%s`,
    (endpoint) =>
      seeded(async () => {
        const statuses = await sendAll({
          send: server().send,
          salt: `${endpoint} ${given.size}`,
          next: (random, sender) => formRequest(endpoint, clientOf(sender), random),
          onResponse: (call, answer, sender) => {
            if (answer.status !== 431) hold(call, answer);
            learn(endpoint, call, answer, clientOf(sender));
          },
        });
        expectAll(statuses);
        expect(statuses.get(200)).toBeGreaterThan(0);
        await expectReady(server());
        await expectTokens();
      })(),
    batchMs,
  );

  it(
    'leaves the log and the read models consistent',
    seeded(() => expectSound(server())),
    batchMs,
  );
});
