import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { Db, MongoClient } from 'mongodb';
import { ReadModelsUnavailable } from '../../read-models.ts';
import { numbers } from '../../testing/facts.ts';
import { createMongoClient } from '../client.ts';
import { callMs, generationsMax, readersMax } from '../limits.ts';
import { namespaceIn } from '../namespace.ts';
import { transactions } from '../transactions.ts';
import { type Control, createControl, readBy } from './control.ts';
import type { GenerationRow } from './registry.ts';

describe('the generation that a version reads', () => {
  const pointer = { revision: 1, read: '3-c', awaited: ['1-a', '2-b', '3-c'], still: ['1-a', '2-b'] };

  it('is the live one of that version, otherwise one that its readers may still read', () => {
    expect([1, 2, 3, 4].map((version) => readBy(version, pointer))).toEqual(['1-a', '2-b', '3-c', undefined]);
    expect(readBy(3, { ...pointer, still: ['3-before'] })).toBe('3-c');
  });

  it('is none after the pointer was withdrawn', () => {
    expect(readBy(3, { revision: 2, read: null, awaited: [], still: [] })).toBeUndefined();
  });
});

describeOn(['mongodb'], 'the control collections on MongoDB', () => {
  let client: MongoClient;
  let db: Db;
  let control: Control;
  beforeAll(() => {
    client = createMongoClient({ url: urlOf('mongodb') }, { monitorCommands: true });
  });
  beforeEach(() => {
    db = client.db(ownName('control'));
    control = createControl(namespaceIn(db));
  });
  afterEach(async () => {
    client.removeAllListeners('commandStarted');
    await db.dropDatabase();
  });
  afterAll(() => client.close());
  const generations = () => db.collection<GenerationRow>('generations');
  const fillings = () => db.collection<{ readonly _id: number; readonly name: string }>('fillings');
  const row = (name: string, serial: number): GenerationRow => ({ _id: name, version: 7, serial, state: 'live', begun: true });
  const stateOf = async (name: string) => (await control.list()).find((entry) => entry.name === name)?.state;
  const compared = { with: '7-before', outcome: 'equal', rows: 3, different: 0, examples: [] } as const;

  it('can be used on a replica set', () => expect(control.ensure()).resolves.toBeUndefined());

  it('cannot be used while MongoDB is unavailable', async () => {
    const unavailable = createMongoClient({ url: 'mongodb://127.0.0.1:1' });
    await expect(createControl(namespaceIn(unavailable.db('away'))).ensure()).rejects.toThrow(ReadModelsUnavailable);
    await unavailable.close();
  });

  describe('a generation', () => {
    it('is begun once for a version, however many processes begin it at the same time', async () => {
      const beganMs = Date.now();
      const names = await Promise.all(numbers(1, 8).map(() => control.filling(7)));
      const [name = ''] = names;
      expect(new Set(names).size).toBe(1);
      expect(name).toMatch(/^7-[0-9a-f]{16}$/);
      const listed = await control.list();
      expect(listed).toEqual([{ name, version: 7, serial: expect.any(Number), state: 'filling' }]);
      expect(listed[0]?.serial).toBeGreaterThanOrEqual(beganMs);
      expect(await generations().findOne({ _id: name })).toMatchObject({ begun: false });
    });

    it('is begun beside that of another version', async () => {
      const names = [await control.filling(7), await control.filling(8)];
      expect((await control.list()).map(({ name, version }) => [name, version])).toEqual([
        [names[0], 7],
        [names[1], 8],
      ]);
      expect([await control.filling(7), await control.filling(8)]).toEqual(names);
    });

    it('has a serial above all earlier ones, even if the clock went back', async () => {
      const serial = Date.now() + 1_000_000_000;
      await generations().insertMany([row('7-early', serial - 7), row('7-late', serial), row('7-middle', serial - 3)]);
      const name = await control.filling(7);
      expect((await control.list()).at(-1)).toMatchObject({ name, serial: serial + 1 });
    });

    it('is the one whose beginning was interrupted before it was listed', async () => {
      await fillings().insertOne({ _id: 7, name: '7-cut-off' });
      expect(await control.filling(7)).toBe('7-cut-off');
      expect(await stateOf('7-cut-off')).toBe('filling');
    });

    it.each(['fillings', 'generations'])('is not begun where MongoDB refuses to store it: %s', async (collection) => {
      await db.createCollection(collection, { validator: { never: 'there' } });
      await expect(control.filling(7)).rejects.toThrow(/MongoDB: .*failed validation/);
      await expect(control.filling(7)).rejects.toThrow(ReadModelsUnavailable);
    });

    it('is not retried for ever where the filling row always names another one', async () => {
      await generations().insertOne(row('8-another', 1));
      await fillings().insertOne({ _id: 7, name: '8-another' });
      await expect(control.filling(7)).rejects.toThrow(ReadModelsUnavailable);
    });

    it.each(['live', 'retired'] as const)('is succeeded by a new one once it is %s, even if that change was interrupted', async (state) => {
      const first = await control.filling(7);
      expect(await control.setState(first, state)).toBe(true);
      expect(await fillings().countDocuments()).toBe(0);
      await fillings().insertOne({ _id: 7, name: first });
      const second = await control.filling(7);
      expect(second).not.toBe(first);
      expect([await stateOf(first), await stateOf(second)]).toEqual([state, 'filling']);
    });

    it('does not end the one that is being filled when it is dropped', async () => {
      const first = await control.filling(7);
      await control.setState(first, 'live');
      const second = await control.filling(7);
      await control.setState(first, 'retired');
      expect(await control.filling(7)).toBe(second);
    });

    it('does not come back while it is dropped, and is unknown once it is removed', async () => {
      const [name, other] = [await control.filling(7), await control.filling(8)];
      expect(await control.setState(name, 'live')).toBe(true);
      expect(await control.setState(name, 'live')).toBe(true);
      expect(await control.setState(name, 'retired')).toBe(true);
      expect(await control.setState(name, 'live')).toBe(false);
      expect(await stateOf(name)).toBe('retired');
      expect(await control.setState(name, 'retired')).toBe(true);
      await control.forget(name);
      expect(await control.setState(name, 'retired')).toBe(false);
      expect((await control.list()).map((entry) => entry.name)).toEqual([other]);
    });

    it('gets its first position while it is filling or live, but not afterwards, and not if it is unknown', async () => {
      const inTransaction = transactions(client);
      const begin = (name: string) => inTransaction(callMs, (at) => control.begin(name, at));
      const isBegun = async () => (await generations().findOne({ _id: name }))?.begun;
      const name = await control.filling(7);
      await begin(name);
      expect(await isBegun()).toBe(true);
      await control.setState(name, 'live');
      await begin(name);
      await control.setState(name, 'retired');
      await expect(begin(name)).rejects.toThrow(ReadModelsUnavailable);
      await expect(begin('7-unknown')).rejects.toThrow('no generation 7-unknown');
    });

    it('keeps the result of its first comparison, which later ones return', async () => {
      const [name, other] = [await control.filling(7), await control.filling(8)];
      expect(await control.setCompared(name, compared)).toEqual(compared);
      expect(await control.setCompared(name, { ...compared, outcome: 'different', different: 2 })).toEqual(compared);
      expect(await control.setCompared('7-unknown', compared)).toBeUndefined();
      expect((await control.list()).map((entry) => [entry.name, entry.compared])).toEqual([
        [name, compared],
        [other, undefined],
      ]);
    });

    it('is listed in the order of serials, in a list of limited length', async () => {
      const rows = numbers(0, generationsMax).map((nth) => row(`7-${nth}`, 10_000 - nth));
      await generations().insertMany(rows);
      const listed = await control.list();
      expect(listed.map(({ serial }) => serial)).toEqual(numbers(10_000 - generationsMax, 9_999));
    });
  });

  describe('a reader', () => {
    it('is registered with its current generation, and each registration is counted', async () => {
      const { beat, of } = control.readers;
      await beat('one', '7-a');
      await beat('one', '7-a');
      await beat('two', '7-b');
      expect(await of(['7-a'])).toEqual([{ reader: 'one', beats: 2 }]);
      expect((await of(['7-a', '7-b', '7-c'])).map(({ reader }) => reader).toSorted()).toEqual(['one', 'two']);
      await beat('one', '7-b');
      expect(await of(['7-a'])).toEqual([]);
      expect(await of([])).toEqual([]);
    });

    it('is removed unless it has registered since', async () => {
      const { beat, of, forget } = control.readers;
      await beat('one', '7-a');
      await beat('two', '7-a');
      const [before] = (await of(['7-a'])).filter(({ reader }) => reader === 'one');
      if (!before) throw new Error('The reader is not registered.');
      await beat('one', '7-a');
      await forget(before);
      expect(await of(['7-a'])).toHaveLength(2);
      await forget({ reader: 'one', beats: 2 });
      expect(await of(['7-a'])).toEqual([{ reader: 'two', beats: 1 }]);
    });

    it('is counted by each call, even if many calls register it for the first time at once', async () => {
      await Promise.all(numbers(1, 30).map(() => control.readers.beat('one', '7-a')));
      expect(await control.readers.of(['7-a'])).toEqual([{ reader: 'one', beats: 30 }]);
    });

    it('is not registered where MongoDB refuses to store it: only a duplicate key is retried, up to five attempts', async () => {
      const { beat, of } = control.readers;
      await beat('one', '7-a');
      const tries = jest.fn();
      client.on('commandStarted', ({ commandName }) => commandName === 'update' && tries());
      await db.collection('readers').createIndex({ generation: 1 }, { unique: true });
      await expect(beat('two', '7-a')).rejects.toThrow(/MongoDB: .*E11000/);
      expect(tries).toHaveBeenCalledTimes(5);
      await db.command({ collMod: 'readers', validator: { never: 'there' } });
      await expect(beat('three', '7-b')).rejects.toThrow(/MongoDB: .*failed validation/);
      expect(tries).toHaveBeenCalledTimes(6);
      expect(await of(['7-a', '7-b'])).toEqual([{ reader: 'one', beats: 1 }]);
    });

    it('is returned in a list of limited length', async () => {
      const rows = numbers(0, readersMax).map((nth) => ({ _id: `reader-${nth}`, generation: '7-a', beats: 1 }));
      await db.collection<(typeof rows)[number]>('readers').insertMany(rows);
      expect(await control.readers.of(['7-a'])).toHaveLength(readersMax);
    });
  });

  it('count the beats of one installation, and none of another', async () => {
    const { beat, of } = control.beats;
    expect(await of('ours')).toBe(0);
    await Promise.all(numbers(1, 10).map(() => beat('ours')));
    expect([await of('ours'), await of('theirs')]).toEqual([10, 0]);
  });
});
