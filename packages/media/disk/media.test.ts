import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { storedBytes, storedFile } from '../content.ts';
import { mediaContract } from '../contract/media.ts';
import { diskPieceBytes, leftoverAgeMs } from '../limits.ts';
import { type Media, type MediaEntry, MediaUnavailable } from '../media.ts';
import { openDiskMedia } from './media.ts';

let directory: string;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'waymark-media-')), 'media');
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

mediaContract('disk', () => openDiskMedia({ directory }));

const name = 'ab12ab12ab12ab12ab12ab12ab12ab12.png';
const bytes = Buffer.from('bytes');
const modeOf = (...path: readonly string[]): string => (statSync(join(directory, ...path)).mode & 0o777).toString(8);

const listed = async (media: Media): Promise<readonly MediaEntry[]> => {
  const entries: MediaEntry[] = [];
  for await (const entry of media.list()) entries.push(entry);
  return entries;
};

/** Returns an empty text if the handle was closed in the meantime. */
const linkOf = (handle: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return '';
  }
};

const systemError = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'test' });

describe('media on disk', () => {
  it('lie in a folder named by their first two digits, readable by the owner only', async () => {
    await openDiskMedia({ directory }).put(name, bytes);
    expect(readFileSync(join(directory, 'ab', name))).toEqual(bytes);
    expect([modeOf(), modeOf('incoming'), modeOf('ab'), modeOf('ab', name)]).toEqual(['700', '700', '700', '600']);
  });

  it('are still stored after the store is reopened', async () => {
    await openDiskMedia({ directory }).put(name, bytes);
    const media = openDiskMedia({ directory });
    expect(await storedBytes(media, name)).toEqual(bytes);
    expect((await listed(media)).map((entry) => entry.name)).toEqual([name]);
  });

  it('leave no unfinished file behind, whether stored or refused', async () => {
    const media = openDiskMedia({ directory });
    await media.put(name, bytes);
    await media.put(name, bytes);
    await expect(media.put(name, Buffer.from('other'))).rejects.toThrow('taken');
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
  });

  it('are durable before they get their name, and their name is durable before the put resolves', async () => {
    const steps = recordSteps();
    await openDiskMedia({ directory }).put(name, bytes);
    const settled = steps.slice(steps.findIndex((step) => step.startsWith('write')));
    expect(settled).toEqual(['write incoming', 'sync incoming', 'link ab', 'sync ab']);
    // The folder did not exist before.
    expect(steps.slice(0, -settled.length)).toEqual(['sync media']);
  });

  it('whose write a crash interrupted are not listed, and a later listing deletes them once they are old', async () => {
    const media = openDiskMedia({ directory });
    const [fresh, old] = [`${name}.fresh`, `${name}.old`].map((each) => join(directory, 'incoming', each));
    const longAgo = new Date(Date.now() - leftoverAgeMs - 60_000);
    for (const path of [fresh, old]) writeFileSync(path ?? '', 'half');
    utimesSync(old ?? '', longAgo, longAgo);

    expect(await listed(media)).toEqual([]);
    expect(readdirSync(join(directory, 'incoming'))).toEqual([`${name}.fresh`]);
  });

  it('are distinguished from unrelated files in the directory', async () => {
    const media = openDiskMedia({ directory });
    await media.put(name, bytes);
    for (const stray of ['note.txt', 'cd', join('ab', 'cd12ab12ab12ab12ab12ab12ab12ab12.png'), join('ab', '.nfs1')]) {
      writeFileSync(join(directory, stray), 'stray');
    }
    expect((await listed(media)).map((entry) => entry.name)).toEqual([name]);
  });

  it.each(['ENOSPC', 'EIO', 'EDQUOT', 'EMFILE'])('are not stored after %s, and nothing of them remains', async (code) => {
    const media = openDiskMedia({ directory });
    const open = files.open;
    jest.spyOn(files, 'open').mockImplementation(async (path, ...rest) => {
      const handle = await open(path, ...rest);
      if (String(path).includes('incoming')) jest.spyOn(handle, 'sync').mockRejectedValue(systemError(code));
      return handle;
    });
    await expect(media.put(name, bytes)).rejects.toThrow(MediaUnavailable);
    jest.restoreAllMocks();

    expect(await media.get(name)).toBeUndefined();
    expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
    await media.put(name, bytes);
    expect(await storedBytes(media, name)).toEqual(bytes);
  });

  it('can be stored after a folder could not be made', async () => {
    const media = openDiskMedia({ directory });
    jest.spyOn(files, 'mkdir').mockRejectedValueOnce(systemError('ENOSPC'));
    await expect(media.put(name, bytes)).rejects.toThrow(MediaUnavailable);
    await media.put(name, bytes);
  });

  it('that cannot be read are reported as unavailable, not as missing', async () => {
    const media = openDiskMedia({ directory });
    await media.put(name, bytes);
    jest.spyOn(files, 'open').mockRejectedValue(systemError('EIO'));
    await expect(storedBytes(media, name)).rejects.toThrow(MediaUnavailable);
    jest.spyOn(files, 'stat').mockRejectedValue(systemError('EIO'));
    await expect(media.get(name)).rejects.toThrow(MediaUnavailable);
  });

  it('that were truncated on the disk fail while they are read', async () => {
    const media = openDiskMedia({ directory });
    await media.put(name, Buffer.alloc(3 * diskPieceBytes));
    const found = await storedFile(media, name);
    truncateSync(join(directory, 'ab', name), 2 * diskPieceBytes);
    const pieces = found?.content()[Symbol.asyncIterator]();
    expect([(await pieces?.next())?.done, (await pieces?.next())?.done]).toEqual([false, false]);
    await expect(pieces?.next()).rejects.toThrow(MediaUnavailable);
  });

  it('are open only while they are read', async () => {
    const media = openDiskMedia({ directory });
    await media.put(name, Buffer.alloc(3 * diskPieceBytes));
    const openFiles = (): number => readdirSync('/proc/self/fd').filter((each) => linkOf(each).endsWith(name)).length;
    const found = await storedFile(media, name);
    expect(openFiles()).toBe(0);
    for await (const _ of found?.content() ?? []) {
      expect(openFiles()).toBe(1);
      break;
    }
    expect(openFiles()).toBe(0);
  });

  it('are unavailable, not missing, while their directory is missing', async () => {
    const media = openDiskMedia({ directory });
    rmSync(directory, { recursive: true });
    await expect(media.get(name)).rejects.toThrow(MediaUnavailable);
    await expect(media.put(name, bytes)).rejects.toThrow(MediaUnavailable);
    await expect(listed(media)).rejects.toThrow(MediaUnavailable);
    expect(existsSync(directory)).toBe(false);
  });

  it('cannot be opened if a file has the path of their directory', () => {
    writeFileSync(directory, '');
    expect(() => openDiskMedia({ directory })).toThrow(/EEXIST|ENOTDIR/);
  });

  it('are whole after the writing process was killed, and every acknowledged file is stored', async () => {
    const acknowledged = await killWhileStoring();
    const media = openDiskMedia({ directory });
    const found = await listed(media);
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(found.map((entry) => entry.name)).toEqual(expect.arrayContaining(acknowledged));
    for (const entry of found) {
      const whole = Buffer.alloc(100_000, entry.name);
      expect(whole.equals((await storedBytes(media, entry.name)) ?? Buffer.of())).toBe(true);
    }
  });
});

/** Records each write, sync and link from now on, with the folder that it affects. */
const recordSteps = (): string[] => {
  const steps: string[] = [];
  const folderOf = (path: string): string => path.split('/').at(path.includes('.png') ? -2 : -1) ?? '';
  const { open, link } = files;
  jest.spyOn(files, 'open').mockImplementation(async (path, ...rest) => {
    const handle: FileHandle = await open(path, ...rest);
    const { sync, writeFile } = handle;
    handle.sync = async () => {
      await sync.call(handle);
      steps.push(`sync ${folderOf(String(path))}`);
    };
    handle.writeFile = async (...written) => {
      await writeFile.apply(handle, written);
      steps.push(`write ${folderOf(String(path))}`);
    };
    return handle;
  });
  jest.spyOn(files, 'link').mockImplementation(async (from, to) => {
    await link(from, to);
    steps.push(`link ${folderOf(String(to))}`);
  });
  return steps;
};

/** Starts a process that stores files and prints the name of each stored one, and kills it while it writes. */
const killWhileStoring = async (): Promise<readonly string[]> => {
  const program = `
    const { openDiskMedia } = await import(${JSON.stringify(join(import.meta.dirname, 'media.ts'))});
    const { randomBytes } = await import('node:crypto');
    const media = openDiskMedia({ directory: ${JSON.stringify(directory)} });
    const storeOn = async () => {
      for (;;) {
        const name = randomBytes(16).toString('hex') + '.png';
        await media.put(name, Buffer.alloc(100_000, name));
        console.log(name);
      }
    };
    await Promise.all(Array.from({ length: 4 }, storeOn));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const acknowledged: string[] = [];
  const killAfter = 20 + (randomBytes(1)[0] ?? 0) / 8;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length > killAfter) child.kill('SIGKILL');
  }
  await exited;
  return acknowledged;
};
