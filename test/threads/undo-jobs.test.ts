import { aPinpoint } from '../api/samples.ts';
import { operation, undoAll } from '../api/undo-jobs.ts';
import { auditorOn } from '../crash/session-of-auditor.ts';
import { useTestServers } from '../crash/test-servers.ts';

const ground = useTestServers();

it('An undo job is run once, whichever thread starts it', async () => {
  const server = await ground.start(ground.directory(), { settings: { WAYMARK_HTTP_THREADS: '2' } });
  const me = await auditorOn(server);
  for (let nth = 0; nth < 3; nth += 1) {
    const script = operation(me);
    await Promise.all(Array.from({ length: 20 }, () => script.create('/pinpoints', aPinpoint())));
    expect((await undoAll(me, { correlation: script.correlation })).report).toMatchObject({ objects: 20, undone: 20 });
  }
  await server.stop();
}, 120_000);
