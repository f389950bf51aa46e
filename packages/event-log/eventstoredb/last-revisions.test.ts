import { LogUnavailable } from '../event-log.ts';
import { createLastRevisions } from './last-revisions.ts';
import { concurrentReadsMax } from './limits.ts';

/** Returns `lastRevisions` over reads that end when the test resolves them. */
const slowEnds = () => {
  const open: PromiseWithResolvers<never[]>[] = [];
  const read = () => {
    const end = Promise.withResolvers<never[]>();
    open.push(end);
    return end.promise;
  };
  return { open, ...createLastRevisions(read) };
};
const nextTurn = () => new Promise(setImmediate);

describe('reading the last events of streams', () => {
  it('reads a stream once for all calls in one turn of the event loop', async () => {
    const { open, lastRevisions: last } = slowEnds();
    const asked = Promise.all([last(['pinpoint-1', 'pinpoint-2']), last(['pinpoint-1']), last(['pinpoint-2', 'pinpoint-1'])]);
    await nextTurn();
    expect(open).toHaveLength(2);
    for (const end of open) end.resolve([]);
    expect(await asked).toEqual([['none', 'none'], ['none'], ['none', 'none']]);
  });

  it('reads again for a call that comes while a read is in progress: that read may be too early', async () => {
    const { open, lastRevisions: last } = slowEnds();
    const first = last(['pinpoint-1']);
    await nextTurn();
    const second = last(['pinpoint-1']);
    await nextTurn();
    expect(open).toHaveLength(2);
    for (const end of open) end.resolve([]);
    expect([await first, await second]).toEqual([['none'], ['none']]);
  });

  it('limits the number of simultaneous reads', async () => {
    const { open, lastRevisions: last } = slowEnds();
    const asked = last(Array.from({ length: 100 }, (_, id) => `pinpoint-${id}`));
    for (let looked = 0; looked < 100; looked += 1) {
      await nextTurn();
      expect(open.length).toBe(Math.min(100, looked + concurrentReadsMax));
      open[looked]?.resolve([]);
    }
    expect(await asked).toHaveLength(100);
  });

  it('continues after a failed read', async () => {
    const { open, lastRevisions: last } = slowEnds();
    const failing = expect(last(['pinpoint-1', 'pinpoint-2'])).rejects.toThrow(LogUnavailable);
    await nextTurn();
    open[0]?.reject(new LogUnavailable('away'));
    open[1]?.resolve([]);
    await failing;
    const asked = last(['pinpoint-1']);
    await nextTurn();
    open[2]?.resolve([]);
    expect(await asked).toEqual(['none']);
  });
});
