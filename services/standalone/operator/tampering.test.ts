import { withContent } from '@waymark/checkpoints/testing/rewritten.ts';
import { signerOf } from '@waymark/checkpoints/testing/some-notary.ts';
import { tamperings } from '@waymark/checkpoints/testing/tamperings.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import SQLite from 'better-sqlite3';
import { useSignedLog } from '../testing/signed-log.ts';

const { intact, old, rows, key, copyOf, openPublished, openUnavailable, tampered, found, at } = useSignedLog();

const otherEvents = /^The events up to position \d+ are not those that checkpoint \d \(.*\) covers\./;

describe('a log that nobody tampered with', () => {
  it('is sound, with erasures, and covered up to its last checkpoint', async () => {
    expect(await found(intact)).toEqual({
      faults: [],
      clocks: expect.any(Array),
      unchecked: [],
      checkpoint: {
        origin: expect.stringMatching(/^waymark\//),
        ...{ number: 4, time: '2026-11-25T10:04:00.000Z', key: key(), published: true, compared: 4, younger: 0 },
      },
    });
  });

  it('is sound where its positions and the records of its checkpoints are others', async () => {
    expect(await found(tampered((all) => all))).toMatchObject({ faults: [], unchecked: [], checkpoint: { number: 4 } });
  });

  it('is sound without a place, and then covered by the checkpoints that it records itself', async () => {
    expect(await found(intact, [key()], null)).toMatchObject({ faults: [], unchecked: [], checkpoint: { number: 4, published: false } });
  });

  it('was younger before: the events after its last checkpoint are not covered', async () => {
    const file = tampered((all) => all.filter(({ stream, revision }) => stream !== checkpointsStream || revision < 3));
    const { faults, checkpoint } = await found(file, [key()], null);
    expect([faults, checkpoint]).toMatchObject([[], { number: 3, younger: 4 }]);
  });
});

describe('verify finds', () => {
  it.each<[keyof typeof tamperings, RegExp]>([
    ['a changed envelope', otherEvents],
    ['a changed account', otherEvents],
    ['a changed content', /does not match its commitment/],
    ['a changed salt', /does not match its commitment/],
    ['a changed commitment', /does not match its commitment/],
    ['a content and its commitment replaced', otherEvents],
    ['an event deleted', /^pinpoint-1, revision 2: it follows revision 0/],
    ['an event deleted, and later revisions moved up', otherEvents],
    ['an event inserted', otherEvents],
    ['two events swapped', otherEvents],
    ['two events swapped, with their revisions', otherEvents],
    ['an event moved to another stream', otherEvents],
    ['a stream deleted', otherEvents],
    ['the tail cut', /^The log has no record of checkpoint 4 \(2026-11-25T10:04:00.000Z\), which is published\.$/],
    ['the tail of the history cut', otherEvents],
    ['a content removed', /^pinpoint-1, revision 1: the content is missing, but not that of every earlier event\.$/],
    ['a content removed, with all before it', /^pinpoint-1: the contents of the first 2 events are missing, and no later event records an/],
  ])('%s', async (kind, finding) => {
    const file = tampered((all) => tamperings[kind](all, at('pinpoint-1', 1), at('pinpoint-3', 1)));
    expect((await found(file)).faults).toContainEqual(expect.stringMatching(finding));
  });

  it('an old database that was restored', async () => {
    expect((await found(old)).faults).toEqual([
      'The log has no record of checkpoint 3 (2026-11-25T10:03:00.000Z), which is published.',
      'The log has no record of checkpoint 4 (2026-11-25T10:04:00.000Z), which is published.',
    ]);
  });

  it('between which checkpoints the first change is', async () => {
    const file = tampered((all) => tamperings['a changed envelope'](all, at('pinpoint-1', 1), 0));
    expect((await found(file)).faults).toEqual([
      expect.stringMatching(
        /^The events up to position \d+ are not those that checkpoint 2 .* Those up to position \d+ are as checkpoint 1 /,
      ),
    ]);
  });

  it('a record of a checkpoint that is removed, changed, or goes up to a wrong position', async () => {
    const record = (revision: number) => at(checkpointsStream, revision);
    const stored = (revision: number) => JSON.parse(rows()[record(revision)]?.content ?? '{}');
    const replaced = (revision: number, value: object) =>
      tampered((all) => all.with(record(revision), withContent(all[record(revision)] as RecordedEvent, JSON.stringify(value))));
    const removed = tampered((all) => all.toSpliced(record(3), 1));
    expect((await found(removed)).faults).toContainEqual(expect.stringMatching(/^The log has no record of checkpoint 4/));
    const swapped = await found(replaced(2, { ...stored(2), note: stored(1).note }));
    expect(swapped.faults).toContainEqual(expect.stringMatching(/^The log has no record of checkpoint 3/));
    const changed = await found(replaced(2, { ...stored(2), note: stored(2).note.replace('2026-', '2025-') }));
    expect(changed.faults).toContain('checkpoints, revision 2: it records another checkpoint than the published one of number 3.');
    const moved = await found(replaced(2, { ...stored(2), through: stored(1).through }));
    expect(moved.faults).toEqual(['checkpoints, revision 2: the position of the checkpoint is wrong.']);
    expect((await found(replaced(2, { note: 7 }))).faults).toContain('checkpoints, revision 2: it records no checkpoint.');
  });

  it('a checkpoint that another key has signed', async () => {
    const forger = signerOf('forged', 9);
    const file = tampered((all) => {
      const last = all[at(checkpointsStream, 3)] as RecordedEvent;
      const { note, ...rest } = JSON.parse(last.content ?? '{}');
      const text = note.slice(0, note.indexOf('\n\n') + 1).replace('number 4', 'number 5');
      return [
        ...all,
        withContent({ ...last, position: all.length + 1, revision: 4 }, JSON.stringify({ ...rest, note: forger.sign(text) })),
      ];
    });
    expect((await found(file)).faults).toEqual([expect.stringMatching(/^Checkpoint 5 is not valid. No trusted key has signed it/)]);
    expect((await found(intact, [forger.verifierKey])).faults).toContainEqual(expect.stringMatching(/^Checkpoint 4 is not valid\./));
  });

  it('a published checkpoint that is missing before later ones', async () => {
    const place = await openPublished();
    const faulty = { ...place, read: async (origin: string, number: number) => (number === 2 ? undefined : place.read(origin, number)) };
    expect((await found(intact, [key()], async () => faulty)).faults).toEqual(['Checkpoint 2 is not among the published ones.']);
  });
});

describe('verify says that it could not compare the log with checkpoints', () => {
  it('where it has another incarnation, of which none is published', async () => {
    const file = copyOf(intact);
    const db = new SQLite(file);
    db.exec("update log set incarnation = 'another'");
    db.close();
    const { unchecked, checkpoint } = await found(file);
    expect(unchecked).toEqual([
      expect.stringMatching(/^The log was not compared with checkpoints: none of waymark\/.*\/another is published yet\.$/),
    ]);
    expect(checkpoint).toBeNull();
  });

  it('where no public key is known, or the place is unavailable', async () => {
    const why = "The log was not compared with the published checkpoints: the notary's public key is not known.";
    expect((await found(intact, [])).unchecked).toContain(why);
    expect((await found(intact, [], null)).unchecked).toEqual([expect.stringContaining('public key is not known')]);
    expect((await found(intact, [key()], openUnavailable)).unchecked).toEqual([
      expect.stringMatching(/^The log was not compared with the published/),
    ]);
  });
});
