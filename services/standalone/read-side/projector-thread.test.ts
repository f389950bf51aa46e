import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog, type SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openSqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import { type SharedNumber, sharedNumber } from '@waymark/threads/shared-number.ts';
import { currentFile, nextFile, numberOf } from './generations.ts';
import { openFollower } from './projector-thread.ts';
import { fillReadSide } from './rebuild.ts';

jest.setTimeout(60_000);

let root: string;
let directory: string;
let log: SqliteEventLog;
let shown: SharedNumber;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-projector-'));
  directory = join(root, 'read-models');
  mkdirSync(directory);
  log = await openSqliteEventLog({ file: join(root, 'log.db') });
  shown = sharedNumber();
});
afterEach(async () => {
  await log.close();
  rmSync(root, { recursive: true });
});

const create = (id: number) => {
  const { ListCreated: created } = sampleEvents;
  const [type, version] = [created.type, eventVersions[created.type]];
  const origin = { actor: 'app', token: null, request: null };
  const event = seal({
    id: newEventId(),
    type,
    version,
    content: encode({ ...created, list: id }),
    account: created.account,
    origin,
    sanitized: false,
  });
  return log.append(resourceStream('list', id), [event], 'none');
};

/** Opens a projector as in the thread of the log writer, at the head of the log. */
const projector = async () => {
  const { reader, close: closeLog } = openLogReader(join(root, 'log.db'));
  const follower = await openFollower(
    { directory, memoryBytes: 0, shown, damaged: sharedNumber() },
    { state: reader.state, readAfter: reader.after },
  );
  await follower.handle(reader.after(0, 1_000));
  const close = async (): Promise<void> => {
    await follower.close();
    closeLog();
  };
  return { ...follower, close };
};

const listsIn = async (file: string): Promise<readonly boolean[]> => {
  const models = openSqliteReadModels({ file, mode: 'reader' });
  const found = await Promise.all([1, 2, 3].map((id) => models.find('list', id)));
  models.close();
  return found.map((list) => list !== undefined);
};

describe('a projector that switches to a rebuilt file', () => {
  it('applies the later events of the log before the file becomes current and before it answers', async () => {
    await create(1);
    const follower = await projector();
    const file = nextFile(directory);
    await fillReadSide({ log: join(root, 'log.db'), file, upTo: null, memoryBytes: 0 });
    await create(2);
    await create(3);
    await follower.message({ kind: 'switch', file });
    expect(currentFile(directory)).toBe(file);
    expect(await listsIn(file)).toEqual([true, true, true]);
    expect(await follower.position()).toBe((await log.state()).head);
    await follower.close();
  });

  it('shows the file to readers if they were shown one before', async () => {
    const follower = await projector();
    const fill = async () => {
      const file = nextFile(directory);
      await fillReadSide({ log: join(root, 'log.db'), file, upTo: null, memoryBytes: 0 });
      await follower.message({ kind: 'switch', file });
      return numberOf(file);
    };
    const first = await fill();
    expect(Atomics.load(shown, 0)).toBe(0);
    await follower.message({ kind: 'show' });
    expect(Atomics.load(shown, 0)).toBe(first);
    const second = await fill();
    expect(Atomics.load(shown, 0)).toBe(second);
    await follower.close();
  });

  it('keeps the current file if that fails', async () => {
    await create(1);
    const follower = await projector();
    const before = currentFile(directory);
    await expect(follower.message({ kind: 'switch', file: join(root, 'nowhere', '9.db') })).rejects.toThrow();
    expect(currentFile(directory)).toBe(before);
    await create(2);
    expect(await follower.position()).toBe(1);
    await follower.close();
  });
});

describe('a file that the log has yet to fill', () => {
  /** Opens a projector that has applied nothing yet. */
  const opened = async () => {
    const { reader, close: closeLog } = openLogReader(join(root, 'log.db'));
    const follower = await openFollower(
      { directory, memoryBytes: 0, shown, damaged: sharedNumber() },
      { state: reader.state, readAfter: reader.after },
    );
    const close = async (): Promise<void> => {
      await follower.close();
      closeLog();
    };
    return { ...follower, close, fill: () => follower.handle(reader.after(0, 1_000)) };
  };

  it('is shown to readers once it is complete, also if another process began it', async () => {
    await create(1);
    for (const _ of ['the process that begins it', 'the next one']) {
      const follower = await opened();
      await follower.message({ kind: 'show' });
      expect(Atomics.load(shown, 0)).toBe(0);
      await follower.close();
    }
    const follower = await opened();
    await follower.message({ kind: 'show' });
    await follower.fill();
    const number = numberOf(currentFile(directory));
    expect(Atomics.load(shown, 0)).toBe(number);
    await follower.close();
    Atomics.store(shown, 0, 0);
    // What was complete once is shown, although later events are missing.
    await create(2);
    const later = await opened();
    await later.message({ kind: 'show' });
    expect(Atomics.load(shown, 0)).toBe(number);
    await later.close();
  });
});
