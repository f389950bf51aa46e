import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finishRestore, restoreBackup } from '@waymark/standalone/backup/restore.ts';
import { ownDataDirectory } from '@waymark/standalone/data-directory/data-directory.ts';
import { contentOf, filesIn } from './content.ts';
import { type BackedUp, backedUp, expectSound } from './installation.ts';
import { optionsToKillAfter, restore, restoreKilledAfter } from './restore/restore.ts';
import { logInAgain, sessionOn, waitUntilReady } from './server.ts';
import { type TestServers, useCrashServers } from './test-servers.ts';

/** More file system changes than a restore makes. */
const changesMax = 150;
/** The number of steps after which a server is started. Before that, a start is killed after its first file system change. */
const serverEvery = 12;
const fileMs = 600_000;

jest.setTimeout(fileMs);

const ground = useCrashServers();
const lasting = useCrashServers('file');
let installation: BackedUp;

beforeAll(async () => {
  installation = await backedUp(lasting);
}, fileMs);

describe('a damaged backup', () => {
  it('is refused, whichever of its files is damaged or missing, and nothing is changed', async () => {
    const { directory, backup, session, content } = installation;
    const before = filesIn(directory);
    for (const file of Object.keys(filesIn(backup))) {
      const damaged = ground.copyOf(backup);
      flipByte(join(damaged, file));
      await expect(restore(damaged, directory)).rejects.toThrow(file === 'backup.json' ? damaged : join(damaged, file));
    }
    for (const file of ['keys.json', 'backup.json']) {
      const lacking = ground.copyOf(backup);
      rmSync(join(lacking, file));
      await expect(restore(lacking, directory)).rejects.toThrow(file);
    }
    expect(filesIn(directory)).toEqual(before);
    const server = await ground.start(ground.copyOf(directory));
    expect(await contentOf(sessionOn(server, session.application, session.token))).toEqual(content);
    await server.stop();
  });
});

describe('a data directory that a server is using', () => {
  it('refuses a restore', async () => {
    const directory = ground.copyOf(installation.directory);
    const server = await ground.start(directory);
    // The server is ready before its history has everything: then the history, too, writes nothing more.
    await expectSound(server);
    const before = filesIn(directory);
    await expect(restore(installation.backup, directory)).rejects.toThrow('in use');
    expect(filesIn(directory)).toEqual(before);
    await server.stop();
  });
});

/** Changes one byte of a file: the middle one, or the first one of `backup.json`, which is read as text. */
const flipByte = (file: string): void => {
  const bytes = readFileSync(file);
  const at = file.endsWith('backup.json') ? 0 : Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};

describe('a restore that is killed', () => {
  it('is completed or undone by the next start or the next restore, whichever step it was killed at', async () => {
    const outcomes: Outcome[] = [];
    for (let changes = 0; changes < changesMax; changes += 1) {
      const outcome = await killAfter(ground, installation, changes);
      if (outcome === undefined) break;
      outcomes.push(outcome);
    }
    const complete = outcomes.indexOf('completed');
    expect(complete).toBeGreaterThan(0);
    expect(outcomes.length).toBeLessThan(changesMax);
    expect(outcomes.slice(complete)).not.toContain('undone');
  });
});

type Outcome = 'undone' | 'completed';

/** Kills a restore after `changes` file system changes.
 * @returns what became of it, or undefined if the restore made fewer changes */
const killAfter = async (ground: TestServers, installation: BackedUp, changes: number): Promise<Outcome | undefined> => {
  const copy = ground.copyOf(installation.directory);
  if (!(await restoreKilledAfter(installation.backup, copy, changes))) return undefined;
  const outcome = await finishInCopy(copy, installation);
  const startsServer = changes % serverEvery === 0;
  // Every `serverEvery` steps, a server starts from the state that the kill left. Otherwise another restore does.
  if (startsServer) await expectServed(ground, copy, installation, outcome);
  else await expectRestorable(installation, copy);
  rmSync(copy, { recursive: true });
  return outcome;
};

/** Finishes the restore in a copy of a directory, as a start does.
 * @returns whether the restore was undone or completed */
const finishInCopy = async (directory: string, { directory: before, backup }: BackedUp): Promise<Outcome> => {
  const copy = ground.copyOf(directory);
  const owned = ownDataDirectory(copy);
  await finishRestore(owned);
  owned.release();
  expect(readdirSync(copy).filter((name) => name.startsWith('rest') || name.endsWith('.incoming'))).toEqual([]);
  const outcome = readFileSync(join(copy, 'log.db')).equals(readFileSync(join(before, 'log.db'))) ? 'undone' : 'completed';
  expect(mediaIn(copy)).toEqual(mediaIn(outcome === 'undone' ? before : backup));
  expect(existsSync(join(copy, 'tokens.db'))).toBe(outcome === 'undone');
  rmSync(copy, { recursive: true });
  return outcome;
};

const mediaIn = (directory: string) => filesIn(join(directory, 'media'));

const expectRestorable = async ({ backup }: BackedUp, directory: string): Promise<void> => {
  const { keptIn } = await restoreBackup(backup, directory);
  expect(existsSync(join(keptIn ?? '', 'log.db'))).toBe(true);
  expect(mediaIn(directory)).toEqual(mediaIn(backup));
};

const expectServed = async (ground: TestServers, directory: string, installation: BackedUp, outcome: Outcome): Promise<void> => {
  await killStart(ground, directory, 1);
  const server = await ground.start(directory);
  const { content, backedUpContent, session } = installation;
  expect(await contentOf(await logInAgain(server, session))).toEqual(outcome === 'undone' ? content : backedUpContent);
  await expectSound(server);
  await server.kill();
};

const killStart = async (ground: TestServers, directory: string, changes: number): Promise<void> => {
  const start = ground.launch(directory, optionsToKillAfter(changes));
  await waitUntilReady(start).catch(() => undefined);
  await start.kill();
};
