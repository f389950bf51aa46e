import { LogUnavailable } from '../event-log.ts';
import { recorder } from '../testing/recorders.ts';
import { appended, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { waitingMax } from './append-queue.ts';
import { connectSqliteEventLog, type SqliteEventLog } from './event-log.ts';

const connected: SqliteEventLog[] = [];
// Before the owner of the log is closed: hooks run in the order of their definition.
afterEach(async () => {
  await Promise.all(connected.splice(0).map((log) => log.close()));
});
const { open } = temporaryLogs();

const openConnected = async () => {
  const owner = await open(recorder());
  const connect = (): SqliteEventLog => {
    const log = connectSqliteEventLog(owner.connection());
    connected.push(log);
    return log;
  };
  return { owner, one: connect(), other: connect() };
};

describe('a log that several threads use', () => {
  it('decides their appends on what the others have appended', async () => {
    const { owner, one, other } = await openConnected();
    const stream = newStream();
    await one.append(stream, [someEvent()], 'none');
    expect(await other.append(stream, [someEvent()], 'none')).toEqual({ outcome: 'conflict' });
    expect(await owner.append(stream, [someEvent()], 0)).toMatchObject({ outcome: 'appended', revision: 1 });
    expect(await other.lastRevisions([stream])).toEqual([1]);
  });

  it('shows each of them how far log and follower are', async () => {
    const { owner, one, other } = await openConnected();
    const { position } = await appended(one.append(newStream(), someEvents(3), 'none'));
    expect([owner.followed(), one.followed(), other.followed()]).toEqual([position, position, position]);
  });

  it('reports moves to a thread that listens, whoever has appended', async () => {
    const { one, other } = await openConnected();
    const moved = new Promise<number>((resolve) => {
      const unlisten = other.onMoved(() => {
        unlisten();
        resolve(other.followed());
      });
    });
    const { position } = await appended(one.append(newStream(), [someEvent()], 'none'));
    expect(await moved).toBe(position);
  });

  it('bounds what waits in all of them together', async () => {
    const { one, other } = await openConnected();
    const taken = Array.from({ length: waitingMax.events / 1_000 }, () => one.append(newStream(), someEvents(1_000), 'none'));
    await expect(other.append(newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    expect(other.waiting().events).toBe(waitingMax.events);
    await Promise.all(taken);
    expect(await other.append(newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'appended' });
  });
});

describe('a log that is closed to its threads', () => {
  it('refuses their appends, and accepts those of the main thread', async () => {
    const { owner, one } = await openConnected();
    owner.setClosedToThreads(true);
    expect([one.isClosedToThreads(), owner.isClosedToThreads()]).toEqual([true, true]);
    await expect(one.append(newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    expect(await owner.append(newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'appended' });
    owner.setClosedToThreads(false);
    expect(await one.append(newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'appended' });
  });

  it('does not grow once it is closed', async () => {
    const { owner, one, other } = await openConnected();
    const appends = [one, other].flatMap((log) => Array.from({ length: 2_000 }, () => log.append(newStream(), [someEvent()], 'none')));
    const settled = Promise.allSettled(appends);
    await one.append(newStream(), [someEvent()], 'none');
    owner.setClosedToThreads(true);
    await owner.settled();
    const { head } = await owner.state();
    await settled;
    expect((await owner.state()).head).toBe(head);
  });
});
