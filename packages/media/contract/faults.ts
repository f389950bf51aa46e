import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { type ControlledEngine, control } from '@waymark/test-engines/control.ts';
import { storedBytes, storedFile } from '../content.ts';
import { MediaUnavailable, type RemoteMedia } from '../media.ts';
import { openMedia } from '../urls.ts';

/** Defines the contract of a network store whose engine is killed, is paused, or loses all its data. `newUrl` returns the URL of an empty
 * store. */
export const mediaFaultsContract = (adapter: string, engine: ControlledEngine, newUrl: () => string): void => {
  describe(`${adapter}: a media store whose engine fails`, () => {
    let url: string;
    let media: RemoteMedia;
    /** A second client with a short call limit, for calls that are expected to time out. */
    let hasty: RemoteMedia;
    beforeEach(async () => {
      url = newUrl();
      [media, hasty] = [await openMedia(url), await openMedia(url, { callMs })];
    });
    afterEach(async () => {
      await control('resume', engine).catch(() => undefined);
      await control('start', engine);
      await Promise.all([media.close(), hasty.close()]);
    });

    it(
      'fails every call while its engine is paused, and works again once the engine is resumed',
      async () => {
        const [stored, other] = [freshName(), freshName()];
        await media.put(stored, bytesNamed(stored));
        await control('pause', engine);
        const outcomes = await Promise.allSettled([...everyCall(hasty, stored), hasty.put(other, bytesNamed(other))]);
        expect(outcomes.map(reasonOf)).toEqual(outcomes.map(() => expect.any(MediaUnavailable)));
        await control('resume', engine);

        await untilItAnswers(hasty);
        expect(await isWhole(media, stored)).toBe(true);
        await media.put(other, bytesNamed(other));
        expect(await isWhole(media, other)).toBe(true);
      },
      patienceMs,
    );

    it(
      'fails in the middle of a file when its engine fails, and never ends the file early',
      async () => {
        const name = freshName();
        await media.put(name, bytesNamed(name));
        for (const [harm, cure] of [
          ['pause', 'resume'],
          ['kill', 'start'],
        ] as const) {
          const pieces = (await storedFile(hasty, name))?.content()[Symbol.asyncIterator]();
          expect((await pieces?.next())?.done).toBe(false);
          await control(harm, engine);
          await expect(pieces?.next()).rejects.toThrow(MediaUnavailable);
          await control(cure, engine);
          await untilItAnswers(hasty);
          expect(await isWhole(media, name)).toBe(true);
        }
      },
      patienceMs,
    );

    it(
      'does not count the time of a slow reader against the call limit',
      async () => {
        const name = freshName();
        await media.put(name, bytesNamed(name));
        const pieces = (await storedFile(hasty, name))?.content()[Symbol.asyncIterator]();
        const first = await pieces?.next();
        await pause(2 * callMs);
        const second = await pieces?.next();
        expect(Buffer.concat([first?.value, second?.value]).equals(bytesNamed(name))).toBe(true);
      },
      patienceMs,
    );

    it(
      'is unavailable while its engine is down, and has every file once the engine is back',
      async () => {
        const names = Array.from({ length: 20 }, freshName);
        for (const name of names) await media.put(name, bytesNamed(name));
        await control('kill', engine);
        const outcomes = await Promise.allSettled([...everyCall(hasty, freshName()), hasty.put(freshName(), Buffer.from('x'))]);
        expect(outcomes.map(reasonOf)).toEqual(outcomes.map(() => expect.any(MediaUnavailable)));
        await control('start', engine);

        await untilItAnswers(hasty);
        for (const name of names) expect(await isWhole(media, name)).toBe(true);
        expect((await namesIn(media)).sort()).toEqual(names.sort());
      },
      patienceMs,
    );

    it(
      'keeps every acknowledged file, and no partial file, when its engine is killed under load',
      async () => {
        const acknowledged: string[] = [];
        const stop = new AbortController();
        const writers = Array.from({ length: 4 }, () => storeOn(media, acknowledged, stop.signal));
        for (let round = 0; round < 3; round += 1) {
          await pause(300);
          await control('kill', engine);
          await control('start', engine);
        }
        stop.abort();
        await Promise.all(writers);
        await untilItAnswers(media);
        expect(acknowledged.length).toBeGreaterThan(0);
        await expectWhole(media, acknowledged);
      },
      patienceMs,
    );

    it(
      'keeps no partial file when the writing process is killed',
      async () => {
        const acknowledged = await killWhileStoring(url);
        await expectWhole(media, acknowledged);
      },
      patienceMs,
    );

    it(
      'starts empty after its engine has lost all data',
      async () => {
        const name = freshName();
        await media.put(name, bytesNamed(name));
        await control('wipe', engine);
        await control('start', engine);
        await untilItAnswers(media);
        expect(await media.get(name)).toBeUndefined();
        expect(await namesIn(media)).toEqual([]);
        await media.put(name, Buffer.from('other'));
        await expect(media.put(name, Buffer.from('another'))).rejects.toThrow('taken');
        expect(await namesIn(media)).toEqual([name]);
      },
      patienceMs,
    );
  });
};

/** Enough for one piece of a file on a busy machine. */
const callMs = 4_000;
const patienceMs = 300_000;

const freshName = (): string => `${randomBytes(16).toString('hex')}.png`;

/** The content of a file repeats its name, and is larger than one GridFS chunk. */
const bytesNamed = (name: string): Buffer => Buffer.alloc(1_500_000, name);

const isWhole = async (media: RemoteMedia, name: string): Promise<boolean | undefined> => {
  const found = await storedBytes(media, name);
  return found && bytesNamed(name).equals(found);
};

const everyCall = (media: RemoteMedia, name: string): readonly Promise<unknown>[] => [
  media.get(name),
  // A call that times out may still take effect.
  media.remove(freshName()),
  namesIn(media),
  media.ping(),
];

const reasonOf = (outcome: PromiseSettledResult<unknown>): unknown => (outcome.status === 'rejected' ? outcome.reason : 'done');

const namesIn = async (media: RemoteMedia): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of media.list()) names.push(name);
  return names;
};

const untilItAnswers = async (media: RemoteMedia): Promise<void> => {
  for (const giveUpAt = Date.now() + patienceMs / 2; ; await pause(50)) {
    try {
      return await media.ping();
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
  }
};

const storeOn = async (media: RemoteMedia, acknowledged: string[], signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const name = freshName();
    try {
      await media.put(name, bytesNamed(name));
      acknowledged.push(name);
    } catch {
      await pause(20);
    }
  }
};

/** Expects every acknowledged file to be stored, and every stored file to be whole. */
const expectWhole = async (media: RemoteMedia, acknowledged: readonly string[]): Promise<void> => {
  const names = await namesIn(media);
  expect(names).toEqual(expect.arrayContaining([...acknowledged]));
  for (const name of names) expect(await isWhole(media, name)).toBe(true);
};

/** Starts a process that stores files and prints the name of each stored one, and kills it while it writes. */
const killWhileStoring = async (url: string): Promise<readonly string[]> => {
  const program = `
    const { openMedia } = await import(${JSON.stringify(join(import.meta.dirname, '../urls.ts'))});
    const { randomBytes } = await import('node:crypto');
    const media = await openMedia(${JSON.stringify(url)});
    const storeOn = async () => {
      for (;;) {
        const name = randomBytes(16).toString('hex') + '.png';
        await media.put(name, Buffer.alloc(1_500_000, name));
        console.log(name);
      }
    };
    await Promise.all(Array.from({ length: 4 }, storeOn));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const acknowledged: string[] = [];
  const killAfter = 5 + (randomBytes(1)[0] ?? 0) / 10;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length > killAfter) child.kill('SIGKILL');
  }
  await exited;
  return acknowledged;
};
