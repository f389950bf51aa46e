import { setTimeout as pause } from 'node:timers/promises';
import { bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { expectSound } from './installation.ts';
import type { Server } from './server.ts';
import { useCrashServers } from './test-servers.ts';

const ground = useCrashServers();
const dayMs = 24 * 60 * 60_000;

/** Opens a session that may read the history. */
const auditor = async ({ operator, client }: Server): Promise<Session> => {
  const application = bodyOf<Session['application']>(
    await operator('POST', '/applications', { account: 'keepers', name: 'test/refusals', scopes: ['read', 'write', 'audit'] }),
    201,
  );
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};

type Refusals = { readonly results: readonly { readonly status: number }[]; readonly more: number };

/** Returns the statuses of the requests that were refused today or yesterday: the day may end during a test. */
const statusesOf = async ({ client }: Server, { application, token }: Session): Promise<readonly number[]> => {
  const me = openSession(client.send, application, token);
  const days = [Date.now() - dayMs, Date.now()].map((ms) => new Date(ms).toISOString().slice(0, 10));
  const pages = await Promise.all(days.map((day) => me.get(`/audit/v1/refusals?day=${day}&limit=500`)));
  return pages.flatMap((page) => bodyOf<Refusals>(page, 200).results).map(({ status }) => status);
};

describe('the refused requests of a server', () => {
  it.each([0, 2])('are recorded when it is stopped, with %d threads beside the main thread', async (threads) => {
    const directory = ground.directory();
    const first = await ground.start(directory, { settings: { WAYMARK_HTTP_THREADS: `${threads}` } });
    const me = await auditor(first);
    for (let nth = 0; nth < 20; nth += 1) bodyOf(await me.post('/lists', {}), 400);
    expect(await statusesOf(first, me)).toEqual([]);
    await first.stop();
    const second = await ground.start(directory);
    expect(await statusesOf(second, me)).toEqual(Array.from({ length: 20 }, () => 400));
    await expectSound(second);
    await second.stop();
  });

  it('are recorded once writes are open again, if they were closed', async () => {
    const server = await ground.start(ground.directory(), { settings: { WAYMARK_REFUSALS_SECONDS: '1' } });
    const me = await auditor(server);
    bodyOf(await server.operator('POST', '/writes', { open: false }), 200);
    bodyOf(await me.post('/pinpoints/12', {}), 405);
    await pause(2_500);
    expect(await statusesOf(server, me)).toEqual([]);
    bodyOf(await server.operator('POST', '/writes', { open: true }), 200);
    while ((await statusesOf(server, me)).length === 0) await pause(50);
    expect(await statusesOf(server, me)).toEqual([405]);
    await server.stop();
  });
});
