import { setTimeout as wait } from 'node:timers/promises';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { ReadPosition } from '../../read-models.ts';
import { listCreated, mine, numbers, pinpointCreated, pinpointDeleted } from '../../testing/facts.ts';
import { ownDatabase } from '../../testing/mongodb.ts';
import { at, beginning, recorder } from '../../testing/recorder.ts';
import type { Comparison, Generation } from '../read-side.ts';

const partition = partitionOf(mine, partitionsOfCluster);

describeOn(['mongodb'], 'compared generations on MongoDB', () => {
  const database = ownDatabase();
  const reached = new Map<string, ReadPosition>();

  const begun = async (): Promise<Generation> => {
    const generation = await database.fresh();
    const first = (one: number) => ({ partition: one, after: 0, events: [], to: beginning });
    await generation.applyTogether(numbers(0, partitionsOfCluster - 1).map(first));
    reached.set(generation.name, beginning);
    return generation;
  };
  const feed = async (generation: Generation, events: readonly RecordedEvent[]): Promise<void> => {
    const to = events.map(at).at(-1);
    if (to === undefined) return;
    await generation.applyTogether([{ partition, after: reached.get(generation.name)?.position ?? 0, events, to }]);
    reached.set(generation.name, to);
  };
  const { record } = recorder();
  const happened = (...events: readonly DomainEvent[]) => events.map((event) => record(mine, event));
  const content = happened(
    ...numbers(1, 900).map((id) => pinpointCreated(id)),
    listCreated(1),
    { type: 'PinpointsAdded', list: 1, pinpoints: [1, 2, 3], notAdded: [] },
    pinpointDeleted(3),
  );
  /** Returns the live generation, and the one that is to replace it. */
  const pair = async (): Promise<readonly [Generation, Generation]> => {
    const [live, next] = [await begun(), await begun()];
    for (const one of [live, next]) await feed(one, content);
    await database.readSide().generations.promote(live.name);
    return [live, next];
  };
  afterEach(async () => {
    const { generations } = database.readSide();
    await generations.withdraw();
    for (const { name } of await generations.list()) await generations.retire(name);
  });
  const compare = ({ name }: Generation): Promise<Comparison | undefined> => database.readSide().generations.compare(name);
  const collection = ({ name }: Generation, kind: string) =>
    database.client().db(database.name).collection<{ readonly _id: number | string }>(`${name}.${kind}`);

  it('are equal where both match the log', async () => {
    const [live, next] = await pair();
    expect(await compare(next)).toEqual({ with: live.name, outcome: 'equal', rows: 904, different: 0, examples: [] });
  });

  it('are different by each row that is missing, changed or additional in one, and the result is stored', async () => {
    const [live, next] = await pair();
    await collection(live, 'pinpoint').updateOne({ _id: 17 }, { $set: { text: '{"name":"forged"}' } });
    await collection(live, 'pinpoint').deleteOne({ _id: 900 });
    await collection(live, 'member').deleteOne({ _id: '2-1' });
    await collection(next, 'list').deleteOne({ _id: 1 });
    const found = await compare(next);
    expect(found).toMatchObject({ outcome: 'different', different: 4 });
    expect(found?.examples).toEqual(expect.arrayContaining(['pinpoint 17', 'pinpoint 900', 'pinpoint 2 in list 1', 'list 1']));
    await collection(live, 'pinpoint').updateOne({ _id: 17 }, { $set: { text: 'otherwise' } });
    expect(await compare(next)).toEqual(found);
    expect((await database.readSide().generations.list()).find(({ name }) => name === next.name)?.compared).toEqual(found);
  });

  it('are equal while both are fed, one a little later than the other', async () => {
    const [live, next] = await pair();
    const over = new AbortController();
    const feeding = (async () => {
      for (let id = 1_000; !over.signal.aborted; id += 10) {
        const events = happened(...numbers(id, id + 9).map((one) => pinpointCreated(one)));
        await feed(live, events);
        await wait(5);
        await feed(next, events);
        await wait(30);
      }
    })();
    expect(await compare(next)).toMatchObject({ outcome: 'equal', different: 0 });
    over.abort();
    await feeding;
  });

  it('are undecided where they are never at the same position', async () => {
    const [live, next] = await pair();
    await feed(live, happened(pinpointCreated(5_000)));
    expect(await compare(next)).toMatchObject({ outcome: 'undecided', different: 0 });
    expect(await compare(live)).toBeUndefined();
  });
});
