import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { someEvents } from '@waymark/event-log/testing/some-events.ts';
import { createInstallationWriteGate } from './write-gate.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-writes-'));
  file = join(directory, 'writes-closed.json');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Returns the log's flag of closed writes. */
const flag = () => {
  let closed = false;
  return {
    isClosedToThreads: () => closed,
    setClosedToThreads: (to: boolean) => {
      closed = to;
    },
    settled: async () => undefined,
  };
};

const never = async (): Promise<never> => {
  throw new Error('unexpected call');
};

/** Returns a log whose appends the test settles. */
const slowLog = () => {
  const settled: (() => void)[] = [];
  const append = () =>
    new Promise<{ outcome: 'appended'; revision: number; position: number }>((resolve) => {
      settled.push(() => resolve({ outcome: 'appended', revision: 0, position: 1 }));
    });
  const log: EventLog = { append, read: never, lastRevisions: never, owners: never, subscribe: never, eraseBefore: never, state: never };
  const settle = () => {
    for (const each of settled.splice(0)) each();
  };
  return { log, settle, count: () => settled.length };
};

describe('writes', () => {
  it('are closed once the writes in progress are settled, and refuse every later one', async () => {
    const { log, settle, count } = slowLog();
    const writes = createInstallationWriteGate(file, flag());
    const gated = writes.gated(log);
    const inProgress = gated.append('pinpoint-1', someEvents(1), 'none');
    let isClosed = false;
    const closing = writes.close().then(() => {
      isClosed = true;
    });
    await expect(gated.append('pinpoint-2', someEvents(1), 'none')).rejects.toThrow(LogUnavailable);
    await new Promise(setImmediate);
    expect([isClosed, count()]).toEqual([false, 1]);
    settle();
    await closing;
    expect(await inProgress).toMatchObject({ outcome: 'appended' });
  });

  it('stay closed for later processes until they are opened', async () => {
    await createInstallationWriteGate(file, flag()).close();
    const later = createInstallationWriteGate(file, flag());
    expect(later.closed()).toBe(true);
    await later.close();
    later.open();
    expect([later.closed(), existsSync(file), createInstallationWriteGate(file, flag()).closed()]).toEqual([false, false, false]);
    later.open();
  });
});
