import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, filesIn } from './content.ts';
import { type Ground, useGround } from './ground.ts';
import { type BackedUp, backedUp, expectSound } from './installation.ts';
import { killedAfter, killedRestore, restore } from './restoring/restore.ts';
import { answering, logInAgain, sessionOn } from './server.ts';

/** More changes of the file system than a restore makes. */
const changesMax = 80;
/** So many of a start's own changes are cut off, too. */
const startChangesMax = 4;
const fileMs = 600_000;

jest.setTimeout(fileMs);

const ground = useGround();
const lasting = useGround('file');
let installation: BackedUp;

beforeAll(async () => {
  installation = await backedUp(lasting);
}, fileMs);

describe('a backup that is not what was written', () => {
  it('is refused, whichever of its files was damaged, and nothing is changed', async () => {
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

describe('a directory that a server runs on', () => {
  it('takes no backup in', async () => {
    const directory = ground.copyOf(installation.directory);
    const server = await ground.start(directory);
    const before = filesIn(directory);
    await expect(restore(installation.backup, directory)).rejects.toThrow('in use');
    expect(filesIn(directory)).toEqual(before);
    await server.stop();
  });
});

/** Its middle one; of what is read as text, the first. */
const flipByte = (file: string): void => {
  const bytes = readFileSync(file);
  const at = file.endsWith('backup.json') ? 0 : Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};

describe('a restore that is killed', () => {
  it('is completed or undone at the next start, wherever it was, even where that start is killed as well', async () => {
    const came: Outcome[] = [];
    for (let changes = 0; changes < changesMax; changes += 1) {
      const outcome = await killAfter(ground, installation, changes);
      if (outcome === undefined) break;
      came.push(outcome);
    }
    const complete = came.indexOf('completed');
    expect(complete).toBeGreaterThan(0);
    expect(came.length).toBeLessThan(changesMax);
    expect(came.slice(complete)).not.toContain('undone');
  });
});

type Outcome = 'undone' | 'completed';

/** What came of a restore that was killed after so many changes of the file system; undefined where it did not have so many. */
const killAfter = async (ground: Ground, installation: BackedUp, changes: number): Promise<Outcome | undefined> => {
  const { directory, backup, session, content, backedUpContent } = installation;
  const copy = ground.copyOf(directory);
  if (!(await killedRestore(backup, copy, changes))) return undefined;
  if (changes % 2 === 1) await killStart(ground, copy, Math.floor(changes / 2) % startChangesMax);

  const server = await ground.start(copy);
  const has = await contentOf(await logInAgain(server, session));
  const outcome = JSON.stringify(has) === JSON.stringify(content) ? 'undone' : 'completed';
  expect(has).toEqual(outcome === 'undone' ? content : backedUpContent);
  await expectSound(server);
  expect(readdirSync(copy).filter((name) => name.startsWith('rest'))).toEqual([]);
  await server.kill();
  rmSync(copy, { recursive: true });
  return outcome;
};

const killStart = async (ground: Ground, directory: string, changes: number): Promise<void> => {
  const start = ground.launch(directory, killedAfter(changes));
  await answering(start).catch(() => undefined);
  await start.kill();
};
