import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { openSession, type Session } from '../api/session.ts';
import { expectSound } from '../crash/installation.ts';
import { walk } from '../crash/load/objects.ts';
import { logInAgain, newSession, type Server, statusOf } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { until } from '../crash/until.ts';

jest.setTimeout(300_000);

const drainMs = 4_000;
const connections = 24;
const restMs = 20;
/** How long a connection rests before the request that meets the drain. */
const idleMs = 1_500;

const ground = useTestServers();

/** Sends requests over one kept connection until a response closes it. */
const useOne = async ({ url }: Server, { application, token }: Session, nth: number) => {
  const client = openClient(url);
  const me = openSession(client.send, application, token);
  const acknowledged: string[] = [];
  const failed: string[] = [];
  for (let turn = 0; ; turn += 1) {
    const name = `connection ${nth}, turn ${turn}`;
    try {
      const { status, headers } = await (turn % 2 === 0 ? me.get('/pinpoints?limit=5') : me.post('/pinpoints', aPinpoint({ name })));
      if (status === 201) acknowledged.push(name);
      if (status >= 300) failed.push(`${name}: ${status}`);
      if (headers.connection === 'close') break;
    } catch (error) {
      failed.push(`${name}: ${(error as Error).message}`);
      break;
    }
    await pause(nth === 0 ? idleMs : nth % restMs);
  }
  client.close();
  return { acknowledged, failed };
};

describe.each(['0', '2'])('A server with %s HTTP threads, under load over kept connections', (threads) => {
  it('answers each request of a drain, closes each connection with a response, and loses nothing', async () => {
    const directory = ground.directory();
    const settings = { WAYMARK_HTTP_THREADS: threads, WAYMARK_DRAIN_SECONDS: `${drainMs / 1_000}` };
    const server = await ground.start(directory, { settings });
    const session = await newSession(server);
    const used = Promise.all(Array.from({ length: connections }, (_, nth) => useOne(server, session, nth)));
    await pause(idleMs);
    const signalledMs = performance.now();
    server.child.kill('SIGTERM');
    await until(async () => (await statusOf(`${server.operatorUrl}/servez`)) === 503);
    const all = await used;
    expect(server.child.exitCode).toBeNull();
    expect(all.flatMap(({ failed }) => failed)).toEqual([]);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledMs).toBeGreaterThanOrEqual(drainMs);

    const again = await ground.start(directory);
    const stored = (await walk(await logInAgain(again, session), '/pinpoints?limit=500')).map(({ name }) => name).sort();
    expect(stored).toEqual(all.flatMap(({ acknowledged }) => acknowledged).sort());
    await expectSound(again);
    await again.stop();
  });
});
