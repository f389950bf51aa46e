import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loggedCheckpointIn } from '@waymark/checkpoints/logged.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { type CheckedCheckpoint, checkedCheckpoints, someEvent } from '@waymark/notary/testing/some-notary.ts';
import { openMongoProofStore } from '@waymark/proof-store/mongodb/proof-store.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { notaryKey } from '../api/evidence.ts';
import { expectOneTree, notaryFaults, notarySteps } from '../crash/one-tree.ts';
import { withLog } from './history/facts.ts';
import { type NotaryProcess, startNotaryProcess } from './setup/notary-process.ts';
import { dropDatabase } from './setup/own-names.ts';
import { until } from './setup/until.ts';

/** Bounds that only catch hangs. */
const signedWithinMs = 120_000;
const msPerFault = 300_000;
const writeEveryMs = 100;
const accounts = ['one', 'two', 'three'];
const killsNotary = join(import.meta.dirname, '../crash/kill-notary/main.ts');

describeOn(['eventstore', 'mongodb', 'control'], 'the notaries of one event store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-notaries-'));
  const place = join(folder, 'place');
  const database = ownName('notaries');
  const running = new Set<NotaryProcess>();
  let before: readonly CheckedCheckpoint[] = [];
  let streams = 0;

  beforeAll(async () => {
    mkdirSync(place);
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
  }, msPerFault);
  afterAll(async () => {
    for (const notary of running) await notary.kill();
    rmSync(folder, { recursive: true });
    await dropDatabase({ database });
  }, msPerFault);

  /** Starts a notary with a directory of its own, which it keeps from one start to the next. */
  const start = (name: string, faults: Readonly<Record<string, string>> = {}): NotaryProcess => {
    const settings = {
      WAYMARK_EVENTSTORE_URL: urlOf('eventstore'),
      WAYMARK_MONGODB_URL: urlOf('mongodb'),
      WAYMARK_MONGODB_DATABASE: database,
      WAYMARK_NOTARY_DIR: join(folder, name),
      WAYMARK_CHECKPOINTS_TO: place,
    };
    const notary = startNotaryProcess({ ...settings, ...faults }, faults['WAYMARK_TEST_STEP'] && killsNotary);
    running.add(notary);
    void notary.exited.then(() => running.delete(notary));
    return notary;
  };
  /** Appends an event of each account. Returns the position of the last one. */
  const write = (): Promise<number> =>
    withLog(async (log) => {
      let position = 0;
      for (const account of accounts) {
        streams += 1;
        const appended = await log.append(`pinpoint-${streams}`, [someEvent(account)], 'none');
        if (appended.outcome !== 'appended') throw new Error(`The append of pinpoint-${streams} ended in ${appended.outcome}.`);
        position = appended.position;
      }
      return position;
    });
  /** Returns the last checkpoint of the log without checking it: how many there are, and what it covers. */
  const lastCheckpoint = () =>
    withLog(async (log) => {
      const { event, revision } = await readEnd(log, checkpointsStream);
      return { number: revision === 'none' ? 0 : revision + 1, through: (event && loggedCheckpointIn(event)?.through) ?? 0 };
    });
  const writeUntil = (what: string, holds: () => boolean | Promise<boolean>): Promise<number> =>
    until(what, signedWithinMs, async () => {
      await write();
      return holds();
    });
  /** Waits until the notary that is left has taken over, and signed all that the log has. */
  const signedThrough = (position: number): Promise<number> =>
    until('the other notary takes over', signedWithinMs, async () => (await lastCheckpoint()).through >= position);
  /** Expects that the checkpoints continue those of all faults before, up to a position, and that the proof store has the last one. */
  const expectSignedThrough = async (position: number): Promise<void> => {
    const all = await withLog((log) => checkedCheckpoints(log, [notaryKey]));
    expectOneTree(all, place);
    expect(all.slice(0, before.length)).toEqual(before);
    expect(all.at(-1)?.through).toBe(position);
    const proofs = openMongoProofStore({ url: urlOf('mongodb'), database });
    expect((await proofs.latest())?.note).toBe(all.at(-1)?.note);
    await proofs.close();
    before = all;
  };

  it(
    `sign one tree while two run at once, over ${notaryFaults} times`,
    async () => {
      for (let fault = 0; fault < notaryFaults; fault += 1) {
        const [first, second] = [start('first'), start('second')];
        const printed = () => first.printed() + second.printed();
        await writeUntil('a notary signs before the other one does', () => /Another notary has signed/.test(printed()));
        await first.stop();
        const position = await write();
        await signedThrough(position);
        await second.stop();
        expect(printed()).not.toMatch(/signs nothing/);
        await expectSignedThrough(position);
      }
    },
    notaryFaults * msPerFault,
  );

  it.each(notarySteps)(
    `sign one tree after one was killed at the step "%s", over ${notaryFaults} kills`,
    async (step) => {
      for (let kill = 0; kill < notaryFaults; kill += 1) {
        await write();
        const killed = start('first', { WAYMARK_TEST_STEP: step, WAYMARK_TEST_TIMES: String(1 + (kill % 2)) });
        let ended = false;
        void killed.exited.then(() => {
          ended = true;
        });
        while (!ended) {
          await write();
          await pause(writeEveryMs);
        }
        expect(await killed.exited).toBe('SIGKILL');

        const [again, other] = [start('first'), start('second')];
        const { number } = await lastCheckpoint();
        await writeUntil('they sign', async () => (await lastCheckpoint()).number > number + 1);
        await other.stop();
        const position = await write();
        await signedThrough(position);
        await again.stop();
        expect(again.printed() + other.printed()).not.toMatch(/signs nothing/);
        await expectSignedThrough(position);
      }
    },
    notaryFaults * msPerFault,
  );
});
