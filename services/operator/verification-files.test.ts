import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTemporaryFile, removeAbandoned } from './verification-files.ts';

const logger = { warn: () => undefined };

/** Starts a process that uses a temporary file for ever. */
const startUser = async (directory: string): Promise<ChildProcess> => {
  const files = join(import.meta.dirname, 'verification-files.ts');
  const work = `import { writeFileSync } from 'node:fs';
    const { inTemporaryFile } = await import(${JSON.stringify(files)});
    await inTemporaryFile('history.db', (file) => {
      writeFileSync(file, 'erased later');
      console.log('written');
      // The timer refers to the promise: otherwise all that waits for it, the lock included, could be collected as garbage.
      return new Promise((resolve) => setInterval(() => resolve === undefined, 1_000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', work], { env: { ...process.env, TMPDIR: directory } });
  await once(child.stdout, 'data');
  return child;
};

describe('the files of a verification', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-temporary-'));
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  it('are removed at its end, also if it fails', async () => {
    const use = async (file: string): Promise<never> => {
      writeFileSync(file, '');
      throw new Error('full');
    };
    await expect(inTemporaryFile('history.db', use, directory)).rejects.toThrow('full');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('are removed once their process was killed, and not before', async () => {
    const child = await startUser(directory);
    children.push(child);
    await inTemporaryFile(
      'read-models.db',
      async (file) => {
        writeFileSync(file, '');
        removeAbandoned(logger, directory);
        expect(readdirSync(directory)).toHaveLength(2);
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
        removeAbandoned(logger, directory);
        expect(readdirSync(directory)).toHaveLength(1);
        expect(existsSync(file)).toBe(true);
      },
      directory,
    );
  });

  it('are not taken for those of a verification that is just being started, or of another program', () => {
    mkdirSync(join(directory, 'waymark-verification-new'));
    mkdirSync(join(directory, 'other'));
    removeAbandoned(logger, directory);
    expect(readdirSync(directory)).toEqual(['other', 'waymark-verification-new']);
  });
});
