import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createApplications } from '@waymark/access/applications.ts';
import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { createMemoryFailureLimit } from '@waymark/access/failure-limits.ts';
import { applicationLog, registered } from '@waymark/access/testing/application-log.ts';
import type { TokenRecord, TokenStore } from '@waymark/access/tokens/token-store.ts';
import { openWindowCounters } from '@waymark/access/window-counters.ts';
import { createAdmission } from '@waymark/http/admission.ts';
import { oauthPaths } from '@waymark/http/api/oauth-endpoints.ts';
import type { OpenCall } from '@waymark/http/app.ts';
import { createKnownKeysTable, openKnownKeys } from '@waymark/http/counters/known-keys.ts';
import { noRateLimit } from '@waymark/http/rate-limit.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import { authRoutes } from './app.ts';

const address = '192.0.2.1';
const throttled = { status: 429 };

const tokenStore = (): TokenStore => {
  const records = new Map<string, TokenRecord>();
  return {
    save: async (record) => void records.set(record.hash, record),
    find: async (hash) => records.get(hash),
    revoke: async (hash) => void records.delete(hash),
  };
};

/** Creates a thread that issues tokens and checks them. It allows three failures per address. */
const newThread = (tokens: TokenStore, table = createKnownKeysTable()) => {
  const { log } = applicationLog([{ ...registered, secret: { id: 'secret-1', hash: secretHash('clear') } }]);
  const applications = createApplications(log);
  const failures = () => createMemoryFailureLimit({ name: 'failures', points: 3, seconds: 60 }, openWindowCounters());
  const admission = createAdmission({
    addresses: { of: () => address, ofPeer: () => address, isFromEdge: () => false },
    addressFailures: failures(),
    clientFailures: failures(),
    note: () => undefined,
    known: openKnownKeys(table),
  });
  const base = 'https://example.org';
  const options = { tokens, applications, admission, requests: noRateLimit, base, noteRefused: () => undefined, hashRequestId: String };
  const issue = authRoutes(options).find(({ path }) => path === oauthPaths.token)?.handle;
  const authenticate = createBearerAuthentication(tokens, applications, admission);
  return {
    token: async (): Promise<string> => JSON.parse(String((await issue?.(tokenCall()))?.body)).access_token,
    read: async (token: string) => authenticate(`Bearer ${token}`, { request: new IncomingMessage(new Socket()), route: '/v3.0/lists' }),
  };
};

const tokenCall = (): OpenCall => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'application/x-www-form-urlencoded';
  request.headers.authorization = `Basic ${Buffer.from('app-1:clear').toString('base64')}`;
  const read = async () => Buffer.from('grant_type=client_credentials');
  return { request, body: { read, release: () => undefined }, requestId: 'request-1', parameters: {} };
};

type Thread = ReturnType<typeof newThread>;

/** Guesses tokens until the address has reached its limit. */
const guess = async ({ read }: Thread): Promise<void> => {
  for (let nth = 0; nth < 3; nth += 1) await expect(read(`guess-${nth}`)).rejects.toMatchObject({ status: 401 });
  await expect(read('guess')).rejects.toMatchObject(throttled);
};

describe('an issued token', () => {
  it('is accepted from an address that has reached its limit of failures, until it is found revoked', async () => {
    const tokens = tokenStore();
    const here = newThread(tokens);
    await here.token();
    await guess(here);
    const [token, revoked] = [await here.token(), await here.token()];
    expect(await here.read(token)).toMatchObject({ application: 'app-1' });
    await tokens.revoke(secretHash(revoked));
    await expect(here.read(revoked)).rejects.toMatchObject({ status: 401 });
    await expect(here.read(`${token}x`)).rejects.toMatchObject(throttled);
  });

  it('is accepted by the other threads of the process as well, and not by a process that does not know it', async () => {
    const [tokens, table] = [tokenStore(), createKnownKeysTable()];
    const [issuing, reading, other] = [newThread(tokens, table), newThread(tokens, table), newThread(tokens)];
    const token = await issuing.token();
    for (const thread of [reading, other]) await guess(thread);
    expect(await reading.read(token)).toMatchObject({ application: 'app-1' });
    await expect(other.read(token)).rejects.toMatchObject(throttled);
  });
});
