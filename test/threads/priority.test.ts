import { existsSync, readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { useTestServers } from '../crash/test-servers.ts';

jest.setTimeout(60_000);

const ground = useTestServers();

const describeWithThreads = existsSync('/proc/thread-self') ? describe : describe.skip;

describeWithThreads('the threads of a server', () => {
  it('compete for processors as equals, except that of the history and the notary: it lets the others go first', async () => {
    const server = await ground.start(ground.directory(), { settings: { WAYMARK_HTTP_THREADS: '2' } });
    const usual = getPriority(server.pid);
    const others = readdirSync(`/proc/${server.pid}/task`).filter((thread) => getPriority(Number(thread)) !== usual);
    expect(others.map((thread) => getPriority(Number(thread)) - usual)).toEqual([5]);
    await server.stop();
  });
});
