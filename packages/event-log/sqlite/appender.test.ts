import { setTimeout as pause } from 'node:timers/promises';
import type { Position } from '../event-log.ts';
import { newStream, someEvents } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { createAppender } from './appender.ts';
import { type OpenLog, openLog } from './appends.ts';
import { type PackedAppend, packAppend } from './messages.ts';
import { openLogReader } from './reader.ts';
import { openWriter } from './schema.ts';

const { file } = temporaryLogs();

type Fault = { readonly code: string; readonly written: boolean; readonly opensAgain: boolean };

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Returns a log whose next commit fails, whether or not it was written. The log may then fail to reopen at first. */
const withFault = ({ code, written, opensAgain }: Fault) => {
  const reports: string[] = [];
  let opened = 0;
  const failing = (log: OpenLog): OpenLog => {
    const run = () => {
      if (written) log.commit.run();
      throw failure(code);
    };
    return { ...log, commit: { ...log.commit, run } };
  };
  const open = (given: Position): OpenLog => {
    opened += 1;
    if (opened === 2 && !opensAgain) throw failure('SQLITE_CANTOPEN');
    const log = openLog(file(), given);
    return opened === 1 ? failing(log) : log;
  };
  return {
    log: createAppender(
      open,
      () => openLogReader(file()),
      ({ message }) => reports.push(message),
    ),
    reports,
  };
};

const someAppends = (): PackedAppend[] => [newStream(), newStream()].map((stream) => packAppend(stream, 'none', someEvents(2), {}));

const lastOf = (log: ReturnType<typeof createAppender>, appends: readonly PackedAppend[]) =>
  log.use(({ reader }) => reader.last(appends.map(([stream]) => stream)));

describe('a commit that fails', () => {
  it('counts as written where the reopened log has it', () => {
    const { log, reports } = withFault({ code: 'SQLITE_IOERR', written: true, opensAgain: true });
    const appends = someAppends();
    expect(log.append(appends).outcomes).toEqual([
      [1, 2],
      [1, 4],
    ]);
    expect(lastOf(log, appends)).toEqual([1, 1]);
    expect(reports).toEqual(['SQLITE_IOERR']);
    log.close();
  });

  it('counts as not written where the reopened log does not have it; its positions are not given out again', () => {
    const { log } = withFault({ code: 'SQLITE_IOERR_FSYNC', written: false, opensAgain: true });
    const appends = someAppends();
    expect(log.append(appends).outcomes).toEqual(['unavailable', 'unavailable']);
    expect(lastOf(log, appends)).toEqual(['none', 'none']);
    expect(log.append(appends).outcomes).toEqual([
      [1, 6],
      [1, 8],
    ]);
    log.close();
  });

  it('leaves its appends undecided where the log cannot be reopened yet', async () => {
    const { log } = withFault({ code: 'SQLITE_IOERR_FSYNC', written: true, opensAgain: false });
    const appends = someAppends();
    expect(log.append(appends).outcomes).toEqual(['undecided', 'undecided']);
    expect(log.append(someAppends()).outcomes).toEqual(['unavailable', 'unavailable']);
    await pause(1_100);
    expect(lastOf(log, appends)).toEqual([1, 1]);
    expect(log.head()).toBe(4);
    log.close();
  });

  it('counts in the position before later appends, which a follower compares with its own', async () => {
    const { log } = withFault({ code: 'SQLITE_IOERR_FSYNC', written: true, opensAgain: false });
    expect(log.append(someAppends()).before).toBe(0);
    await pause(1_100);
    expect(log.append(someAppends())).toEqual({
      before: 4,
      outcomes: [
        [1, 6],
        [1, 8],
      ],
    });
    log.close();
  });

  it('is certainly not written where there is no room for it', () => {
    const { log } = withFault({ code: 'SQLITE_FULL', written: false, opensAgain: false });
    expect(log.append(someAppends()).outcomes).toEqual(['unavailable', 'unavailable']);
    log.close();
  });
});

describe('a write that fails before its commit', () => {
  it('leaves nothing behind, and the next write succeeds', () => {
    const reports: string[] = [];
    const log = createAppender(
      (given) => openLog(file(), given),
      () => openLogReader(file()),
      ({ message }) => reports.push(message),
    );
    const stranger = openWriter(file());
    stranger.exec("insert into event values (3, 'stranger-1', 0, '{}', '', '')");
    stranger.close();
    const appends = someAppends();
    expect(log.append(appends).outcomes).toEqual(['unavailable', 'unavailable']);
    expect(lastOf(log, appends)).toEqual(['none', 'none']);
    expect(reports).toEqual(['UNIQUE constraint failed: event.position']);
    expect(log.append(appends).outcomes).toEqual([
      [1, 5],
      [1, 7],
    ]);
    log.close();
  });
});
