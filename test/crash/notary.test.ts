import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bodyOf } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { checkpointsIn, expectOneTree, notaryFaults, notarySteps } from './one-tree.ts';
import { createSampleContent } from './sample-content.ts';
import { newSession, type Server } from './server.ts';
import { useCrashServers } from './test-servers.ts';
import { until } from './until.ts';

const ground = useCrashServers();
const often = { WAYMARK_NOTARY_SECONDS: '1' };

type Status = {
  readonly notary: { readonly state: string; readonly number: number; readonly through: number; readonly reason: string | null };
};

const notaryOf = async ({ operator }: Server): Promise<Status['notary']> => bodyOf<Status>(await operator('GET', '/status'), 200).notary;

/** Writes until the server ends, at intervals that leave something to sign for each checkpoint. */
const writeUntilKilled = async (server: Server): Promise<void> => {
  try {
    for (let nth = 1; ; nth += 1) {
      await createSampleContent(await newSession(server), `sample ${nth}`);
      await pause(writeEveryMs);
    }
  } catch {
    // The server was killed within a request.
  }
};

/** The last signature, record or file, at most, before which a notary is killed. */
const timesMax = 3;
const writeEveryMs = 500;
/** A bound that only catches hangs. */
const msPerKill = 300_000;

const killsNotary = join(import.meta.dirname, 'kill-notary/main.ts');

describe('the notary of a standalone server', () => {
  it.each(notarySteps)(
    `that is killed at the step "%s" continues with one tree, over ${notaryFaults} kills`,
    async (step) => {
      for (let kill = 0; kill < notaryFaults; kill += 1) {
        const [directory, place] = [ground.directory(), ground.directory()];
        mkdirSync(place);
        const settings = { ...often, WAYMARK_CHECKPOINTS_TO: place };
        const faults = { WAYMARK_TEST_STEP: step, WAYMARK_TEST_TIMES: String(1 + (kill % timesMax)) };
        const killed = await ground.start(directory, { settings: { ...settings, ...faults }, preload: killsNotary });
        const writing = writeUntilKilled(killed);
        expect((await killed.exited).signal).toBe('SIGKILL');
        await writing;

        const again = await ground.start(directory, { settings });
        await until(async () => (await notaryOf(again)).state !== 'reading');
        expect(await notaryOf(again)).toMatchObject({ state: 'signing', reason: null });
        await createSampleContent(await newSession(again), 'last');
        await expectSound(again);
        await again.stop();
        expectOneTree(await checkpointsIn(directory), place);
      }
    },
    notaryFaults * msPerKill,
  );

  it('signs while the server writes, when it stops, and after its next start', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory, { settings: often });
    await createSampleContent(await newSession(server), 'first');
    await until(async () => (await notaryOf(server)).number > 0);
    await createSampleContent(await newSession(server), 'second');
    await expectSound(server);
    await server.stop();
    const stopped = await checkpointsIn(directory);
    expect(stopped.map(({ checkpoint }) => checkpoint.number)).toEqual(stopped.map((_, index) => index + 1));

    const again = await ground.start(directory, { settings: often });
    await until(async () => (await notaryOf(again)).state === 'signing');
    expect((await notaryOf(again)).number).toBe(stopped.length);
    await createSampleContent(await newSession(again), 'third');
    await again.stop();
    const all = await checkpointsIn(directory);
    expect(all.length).toBeGreaterThan(stopped.length);
    expect(all.slice(0, stopped.length)).toEqual(stopped);
  });

  it('keeps its key private, and never logs it', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory, { settings: { ...often, WAYMARK_LOG_LEVEL: 'debug' } });
    await until(async () => (await notaryOf(server)).number > 0);
    await server.stop();
    const key = readFileSync(join(directory, 'notary/key'), 'utf8').trim();
    expect(statSync(join(directory, 'notary/key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'notary')).mode & 0o777).toBe(0o700);
    expect(server.printed()).not.toContain(key);
    expect(readFileSync(join(directory, 'notary/verifier-keys'), 'utf8')).not.toContain(key);
  });
});
