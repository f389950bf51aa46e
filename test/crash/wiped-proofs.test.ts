import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf, type Session } from '../api/session.ts';
import { logInAgain } from './server.ts';
import { auditorOn } from './session-of-auditor.ts';
import { useCrashServers } from './test-servers.ts';

const ground = useCrashServers();
const coveredWithinMs = 60_000;
const settings = { WAYMARK_NOTARY_SECONDS: '1' };

/** Creates a pinpoint, and returns the size of the tree once a checkpoint covers it. */
const addCovered = async (me: Session): Promise<number> => {
  const { id } = await me.create('/pinpoints', aPinpoint());
  for (const deadlineMs = performance.now() + coveredWithinMs; ; await pause(100)) {
    const answer = await me.get(`/audit/v1/proofs/inclusion?kind=pinpoints&id=${id}&revision=0`);
    const isPending = [409, 503].includes(answer.status) && performance.now() < deadlineMs;
    if (!isPending) return bodyOf<{ head: { size: number } }>(answer, 200).head.size;
  }
};

const wipe = (directory: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(join(directory, `proofs.db${end}`), { force: true });
};

it.each([
  ['removed while the server runs', wipe, undefined],
  ['removed while it is stopped', undefined, wipe],
  ['damaged while it is stopped', undefined, (directory: string) => writeFileSync(join(directory, 'proofs.db'), 'x'.repeat(10_000))],
])(
  'The proofs are complete again after their file was %s',
  async (_, whileItRuns, whileStopped) => {
    const directory = ground.directory();
    let server = await ground.start(directory, { settings });
    let me = await auditorOn(server);
    const size = await addCovered(me);
    whileItRuns?.(directory);
    if (whileStopped !== undefined) {
      await server.stop();
      whileStopped(directory);
      server = await ground.start(directory, { settings });
      me = await logInAgain(server, me);
    }
    expect(await addCovered(me)).toBe(size + 1);
    await server.stop();
  },
  180_000,
);
