import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

type WithLock = <T>(lock: string, onWait: () => void, work: () => Promise<T>) => Promise<T>;
const { withLock }: { withLock: WithLock } = createRequire(import.meta.url)('./install-lock.cjs');

describe('the lock of the bootstrap', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-lock-'));
  const lock = join(folder, 'lock');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names its holder while the work is done, and is removed afterwards', async () => {
    const held = await withLock(lock, jest.fn(), async () => readlinkSync(lock));
    expect(held).toBe(`${hostname()}:${process.pid}`);
    expect(existsSync(lock)).toBe(false);
  });

  it('is removed after work that fails', async () => {
    await expect(withLock(lock, jest.fn(), () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
    expect(existsSync(lock)).toBe(false);
  });

  it('lets one process work at a time, and reports once that it waits', async () => {
    const onWait = jest.fn();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} starts`);
      await sleep(250);
      steps.push(`${name} ends`);
    };
    await Promise.all([withLock(lock, onWait, work('one')), withLock(lock, onWait, work('other'))]);
    expect(steps).toEqual(['one starts', 'one ends', 'other starts', 'other ends']);
    expect(onWait).toHaveBeenCalledTimes(1);
  });

  it('is taken over from a process that died', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    symlinkSync(`${hostname()}:${pid}`, lock);
    const onWait = jest.fn();
    expect(await withLock(lock, onWait, async () => 'done')).toBe('done');
    expect(onWait).not.toHaveBeenCalled();
  });
});
