import { setTimeout as pause } from 'node:timers/promises';
import { startJob } from '../api/undo-jobs.ts';
import { expectSound } from './installation.ts';
import { type Random, seededRun } from './random.ts';
import { type Server, sessionOn } from './server.ts';
import { auditorOn } from './session-of-auditor.ts';
import { useCrashServers } from './test-servers.ts';
import { checkUndone, prepare } from './undo-load.ts';

const runs = Number(process.env['WAYMARK_UNDO_KILLS'] ?? 2);
const killsOfARun = 4;
const killWithinMs = 250;
/** A bound that only catches hangs. */
const msPerRun = 300_000;

const ground = useCrashServers();

const killAndRestart = async (server: Server, random: Random): Promise<Server> => {
  await pause(random.below(killWithinMs));
  await server.kill();
  return ground.start(server.directory);
};

describe('an undo job that is killed at random points', () => {
  it(
    `does nothing twice and leaves nothing out, over ${runs} jobs`,
    () =>
      seededRun(async (random) => {
        for (let run = 0; run < runs; run += 1) {
          let server = await ground.start(ground.directory());
          const me = await auditorOn(server);
          const loaded = await prepare(me);
          const { id } = await startJob(me, { correlation: loaded.correlation, dry_run: false });
          for (let kill = 0; kill < killsOfARun; kill += 1) server = await killAndRestart(server, random);
          const again = sessionOn(server, me.application, me.token);
          await checkUndone(again, id, loaded);
          await expectSound(server);
          await server.stop();
        }
      }),
    runs * msPerRun,
  );
});
