import { allocatorStream, resourceKinds } from '@waymark/domain/streams.ts';
import { reservedThrough, sealReservation } from '@waymark/event-log/id-allocator.ts';
import { newEventId } from '@waymark/event-log/seal.ts';
import { type RenewOptions, renew } from '@waymark/operations/renew.ts';
import { useTarget } from '@waymark/operations/testing/some-target.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';

const skipped = 1_000_000_000;

describe('renewing a log', () => {
  const target = useTarget();
  const shown = { pinpoint: 70, list: 1, category: 0, happening: 0 };
  const options = (more: Partial<RenewOptions> = {}): RenewOptions => ({
    log: target.log(),
    renewIncarnation: async () => 'renewed',
    shownIds: async () => shown,
    knownFacts: async () => [],
    writes: { closed: async () => true },
    ...more,
  });
  const reserved = async (): Promise<readonly number[]> => {
    const events = await Promise.all(resourceKinds.map((resource) => target.log().read(allocatorStream(resource), 0)));
    return events.map((stream) => {
      const last = stream.at(-1);
      return last === undefined ? 0 : reservedThrough(last);
    });
  };

  it('moves every sequence past the ids in the log and in the read models, and then renews the incarnation', async () => {
    await target.log().append(allocatorStream('list'), [sealReservation(newEventId(), 100)], 'none');
    const { incarnation: before } = await target.log().state();
    let moved: readonly number[] = [];
    const renewIncarnation = async () => {
      moved = await reserved();
      return 'renewed';
    };
    expect(await renew(options({ renewIncarnation }))).toEqual({ before, incarnation: 'renewed' });
    expect(moved).toEqual([skipped + 70, skipped + 100, skipped, skipped]);
  });

  it('moves every sequence past the ids in the known facts, and sets aside the incarnations in them', async () => {
    const facts = { incarnation: 'lost', head: 9, event: '', stream: '', revision: 0 };
    const knownFacts = async () => [
      { ...facts, ids: { pinpoint: 80, list: 0, category: 3, happening: 0 } },
      { ...facts, incarnation: 'older', ids: { pinpoint: 60, list: 2, category: 0, happening: 4 } },
      { ...facts, ids: { pinpoint: 0, list: 0, category: 0, happening: 0 } },
    ];
    const asked: unknown[] = [];
    const renewIncarnation: RenewOptions['renewIncarnation'] = async (...order) => {
      asked.push(order);
      return 'renewed';
    };
    const { before } = await renew(options({ knownFacts, renewIncarnation }));
    expect(await reserved()).toEqual([skipped + 80, skipped + 2, skipped + 3, skipped + 4]);
    expect(asked).toEqual([[before, ['lost', 'older']]]);
  });

  it('uses the log alone if the read models are unavailable', async () => {
    await renew(options({ shownIds: () => Promise.reject(new ReadModelsUnavailable('away')) }));
    expect(await reserved()).toEqual([skipped, skipped, skipped, skipped]);
  });

  it('is refused while writes are open, and changes nothing', async () => {
    await expect(renew(options({ writes: { closed: async () => false } }))).rejects.toMatchObject({ status: 409 });
    expect(await reserved()).toEqual([0, 0, 0, 0]);
  });

  it('is refused if another process has renewed the log meanwhile', async () => {
    await expect(renew(options({ renewIncarnation: async () => undefined }))).rejects.toMatchObject({ status: 409 });
  });
});
