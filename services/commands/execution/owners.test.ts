import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { createOwners } from './owners.ts';

/** Returns owners with a log that counts its queries. */
const ownersOf = (owners: Readonly<Record<string, string>>) => {
  const told: string[][] = [];
  const log = { unavailable: false, asked: 0 };
  const ask: EventLog['owners'] = async (streams) => {
    log.asked += 1;
    if (log.unavailable) throw new LogUnavailable('away');
    return streams.map((stream) => owners[stream]);
  };
  return { log, told, owners: createOwners({ owners: ask } as EventLog, (...what) => told.push(what)) };
};

const foreign = { status: 503, headers: { 'Retry-After': expect.any(String) } };

describe('the owners of objects', () => {
  it('are queried once each, however many requests need them at the same time', async () => {
    const { log, owners, told } = ownersOf({ 'list-1': 'mine' });
    owners.prefetch('list-1');
    await Promise.all([owners.confirm('list-1', 'mine'), owners.confirm('list-1', 'mine')]);
    owners.prefetch('list-1');
    expect(owners.confirm('list-1', 'mine')).toBeUndefined();
    expect([log.asked, told]).toEqual([1, []]);
  });

  it('refuse another account each time, and raise the alarm', async () => {
    const { log, owners, told } = ownersOf({ 'list-1': 'mine' });
    await expect(owners.confirm('list-1', 'theirs')).rejects.toMatchObject(foreign);
    expect(() => owners.confirm('list-1', 'theirs')).toThrow(expect.objectContaining(foreign));
    expect(owners.confirm('list-1', 'mine')).toBeUndefined();
    expect(told).toEqual([
      ['list-1', 'theirs'],
      ['list-1', 'theirs'],
    ]);
    expect(log.asked).toBe(1);
  });

  it('refuse every account if the log has no such object, and query the log again the next time', async () => {
    const { log, owners, told } = ownersOf({});
    await expect(owners.confirm('list-1', 'mine')).rejects.toMatchObject(foreign);
    await expect(owners.confirm('list-1', 'mine')).rejects.toMatchObject(foreign);
    expect([log.asked, told.length]).toEqual([2, 2]);
  });

  it('are queried again if the log did not answer', async () => {
    const { log, owners, told } = ownersOf({ 'list-1': 'mine' });
    log.unavailable = true;
    owners.prefetch('list-1');
    await expect(owners.confirm('list-1', 'mine')).rejects.toThrow(LogUnavailable);
    log.unavailable = false;
    await owners.confirm('list-1', 'mine');
    expect(told).toEqual([]);
  });
});
