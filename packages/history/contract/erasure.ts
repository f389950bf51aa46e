import { randomUUID } from 'node:crypto';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import {
  added,
  happeningCreated,
  happeningMoved,
  listCreated,
  mine,
  pinpointCreated,
  pinpointFields,
  removed,
} from '@waymark/read-models/testing/facts.ts';
import { applyAll as applyTo, at, recorder } from '@waymark/read-models/testing/recorder.ts';
import { cleaned, type HistoryUnderTest } from '../testing/subject.ts';

const end = Number.MAX_SAFE_INTEGER;

/** The summary of the events that an erasure left out. */
const summaryOf = (count: number) => ({ count, digest: '0'.repeat(64) });

export const erasureContract = (history: () => HistoryUnderTest) => {
  const { PinpointEdited: edited, PinpointRedacted: redacted } = sampleEvents;
  const pinpoint = () => {
    const { record } = recorder();
    return [
      record(mine, pinpointCreated(1)),
      record(mine, { ...edited, pinpoint: 1, fields: { name: 'A secret name' } }),
      record(mine, { ...redacted, account: mine, pinpoint: 1, summary: summaryOf(2), fields: { ...pinpointFields, name: 'A name' } }),
      record(mine, { ...edited, pinpoint: 1, fields: { name: 'Another name' } }),
    ];
  };
  const valuesOf = () => history().read(({ values }) => values('pinpoint-1', [0, 1, 2, 3]));

  it('hides the values before it at once', async () => {
    const [created, edit, erasure, last] = pinpoint() as [RecordedEvent, RecordedEvent, RecordedEvent, RecordedEvent];
    await applyTo(history().apply, [created, edit]);
    expect([...(await valuesOf()).keys()]).toEqual([0, 1]);
    await history().apply(0, edit.position, [erasure, last], at(last));
    const values = await valuesOf();
    expect([...values.keys()]).toEqual([2, 3]);
    expect(values.get(2)).toMatchObject({ name: 'A name' });
  });

  it('leaves the entries before it, without the revisions that set their fields', async () => {
    await applyTo(history().apply, pinpoint());
    const read = async () =>
      history().read(async ({ entries, entriesAt, entriesAtPositions, lastEntries }) => {
        const all = await entries('pinpoint-1', end, 10);
        expect(await entriesAt('pinpoint-1', [3, 0, 1, 2, 2])).toEqual(all.toReversed());
        expect(await entriesAtPositions(all.map(({ position }) => position))).toEqual(all.toReversed());
        expect([...(await lastEntries(['pinpoint-1'], all[2]?.position ?? 0)).values()]).toEqual([all[2]]);
        return all;
      });
    const before = await read();
    expect(before.map(({ type, origins }) => [type, Object.keys(origins).length > 0])).toEqual([
      ['PinpointEdited', true],
      ['PinpointRedacted', true],
      ['PinpointEdited', false],
      ['PinpointCreated', false],
    ]);
    await cleaned(history());
    expect(await read()).toEqual(before);
  });

  it('is named by its mark', async () => {
    const events = pinpoint();
    await applyTo(history().apply, events);
    const { position = 0 } = events[2] ?? {};
    expect(await history().read(({ erased }) => erased('pinpoint-1'))).toEqual({
      stream: 'pinpoint-1',
      before: 2,
      from: position,
      revision: 2,
      position,
    });
    expect(await history().read(({ erased }) => erased('pinpoint-2'))).toBeUndefined();
  });

  it('leaves nothing of the erased values once the history is cleaned', async () => {
    await applyTo(history().apply, pinpoint());
    expect((await history().dump()).join()).toContain('A secret name');
    await cleaned(history());
    const rows = (await history().dump()).join();
    expect(rows).not.toContain('A secret name');
    expect(rows).toContain('Another name');
  });

  it('of a changeset leaves no field, whether or not the erased values were seen', async () => {
    const { ChangesetOpened: opened, ChangesetRedacted: erasure } = sampleEvents;
    const { record } = recorder();
    const [seen, unseen] = [randomUUID(), randomUUID()];
    const events = [
      record(mine, { ...opened, account: mine, changeset: seen }),
      record(mine, { ...erasure, account: mine, changeset: seen, summary: summaryOf(1) }),
      { ...record(mine, { ...opened, account: mine, changeset: unseen }), content: null },
      record(mine, { ...erasure, account: mine, changeset: unseen, summary: summaryOf(1) }),
    ];
    await applyTo(history().apply, events);
    const originsOf = async (changeset: string) =>
      (await history().read(({ entries }) => entries(`changeset-${changeset}`, end, 10))).map(({ origins }) => origins);
    expect(await originsOf(seen)).toEqual([{}, {}]);
    expect(await originsOf(unseen)).toEqual([{}, {}]);
  });

  it('of a list hides that a pinpoint joined it before', async () => {
    const { record } = recorder();
    const facts = [pinpointCreated(1), listCreated(1), added(1, 1), removed(1, 1)];
    await applyTo(
      history().apply,
      [...facts, { ...sampleEvents.ListRedacted, account: mine, list: 1, summary: summaryOf(3), restatedFrom: 3 }].map((fact) =>
        record(mine, fact),
      ),
    );
    const read = () => history().read(({ relationChanges }) => relationChanges('pinpoint-1', end, 10));
    expect(await read()).toEqual([]);
    await cleaned(history());
    expect(await read()).toEqual([]);
    expect(await history().read(({ intervalsOf }) => intervalsOf('pinpoint-1', { after: 0, through: end }))).toEqual([]);
  });

  it('of a happening hides where it took place before', async () => {
    const { record } = recorder();
    const facts = [pinpointCreated(1), pinpointCreated(2), happeningCreated(1, 1), happeningMoved(1, 2)];
    const events = [...facts, { ...sampleEvents.HappeningRedacted, account: mine, happening: 1, summary: summaryOf(2), pinpoint: 2 }].map(
      (fact) => record(mine, fact),
    );
    await applyTo(history().apply, events);
    const read = (stream: string) => history().read(({ relationChanges }) => relationChanges(stream, end, 10));
    expect([await read('pinpoint-1'), await read('pinpoint-2')]).toEqual([[], []]);
    await cleaned(history());
    const stays = await history().read(({ intervalsOf }) => intervalsOf('happening-1', { after: 0, through: end }));
    expect(stays).toEqual([{ set: 'pinpoint-2', item: 1, since: events.at(-1)?.position, until: null }]);
  });
};
