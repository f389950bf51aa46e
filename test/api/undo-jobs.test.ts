// Long because it has one test for each thing that an undo of a correlation does.

import { historyOf, openAuditor } from './history.ts';
import { aFile } from './pictures.ts';
import { aCategory, aList, anEvent, aPinpoint, make } from './samples.ts';
import type { Session, Thing } from './session.ts';
import { useTarget } from './target.ts';
import { add, edit, eventsAt, forget, membersOf, remove, restore, take } from './undo.ts';
import { endOf, isGone, type Line, linesOf, operation, runJob, startJob, undoAll } from './undo-jobs.ts';

const waymark = useTarget();
const editor = (): Promise<Session> => openAuditor(waymark);

/** Returns what was kept of each object, by its path, after the undo of a correlation. */
const keptBy = async (me: Session, correlation: string): Promise<Readonly<Record<string, unknown>>> => {
  const lines = await linesOf(me, await undoAll(me, { correlation }));
  const keptOf = ({ outcome, reason, fields, pinpoints }: Line) => ({
    ...{ outcome, reason },
    ...(fields.length > 0 ? { fields } : {}),
    ...(pinpoints.length > 0 ? { pinpoints } : {}),
  });
  return Object.fromEntries(
    lines.filter(({ outcome }) => outcome !== 'undone').map((line) => [`/${line.object.kind}/${line.object.id}`, keptOf(line)]),
  );
};

describe('an undo of a correlation', () => {
  it('takes back all that it did, and keeps a row that was corrected by hand since', async () => {
    const me = await editor();
    const load = operation(me);
    const before = await me.create('/pinpoints', aPinpoint({ name: 'Before' }));
    const [one, two] = [await load.create('/pinpoints', aPinpoint()), await load.create('/pinpoints', aPinpoint())];
    const list = await load.create('/lists', aList());
    await load.add(list.id, one.id, two.id, before.id);
    const event = await load.create('/events', anEvent(one.id));
    await load.edit(`/pinpoints/${before.id}`, aPinpoint({ name: 'After' }));
    await edit(me, 'pinpoints', two.id, aPinpoint({ name: 'By hand' }));

    const job = await undoAll(me, { correlation: load.correlation });
    expect(job.report).toMatchObject({ changes: 6, objects: 5, undone: 4, partly: 0, kept: 1 });
    expect(job.report.applications).toEqual([me.application.client_id]);
    const kept = (await linesOf(me, job)).filter(({ outcome }) => outcome !== 'undone');
    expect(kept).toEqual([
      { object: { kind: 'pinpoints', id: two.id }, outcome: 'kept', revision: null, reason: 'changed-since', fields: [], pinpoints: [] },
    ]);
    expect(await me.read(`/pinpoints/${before.id}`)).toEqual(before);
    for (const path of [`/pinpoints/${one.id}`, `/lists/${list.id}`, `/events/${event.id}`]) await isGone(me, path);
    const undone = (await historyOf(me, 'pinpoints', before.id)).find(({ action }) => action === 'edited');
    expect(undone).toMatchObject({ correlation_id: job.id, cause: job.id });

    // The undo is undone.
    expect(await keptBy(me, job.id)).toEqual({});
    expect(await me.read(`/pinpoints/${before.id}`)).toMatchObject({ name: 'After' });
    expect(await membersOf(me, list.id)).toEqual([before.id, one.id, two.id].sort((a, b) => a - b));
    expect(await me.read(`/events/${event.id}`)).toEqual(event);
    expect(await eventsAt(me, one.id)).toEqual([event.id]);
  });

  it('sets what the correlation set last, with one change for each object, however often it set it', async () => {
    const me = await editor();
    const script = operation(me);
    const created = await me.create('/pinpoints', aPinpoint({ name: 'A', tags: ['a'] }));
    for (const name of ['B', 'C', 'D']) await script.edit(`/pinpoints/${created.id}`, aPinpoint({ name, tags: ['a'] }));
    expect(await keptBy(me, script.correlation)).toEqual({});
    expect(await me.read(`/pinpoints/${created.id}`)).toEqual(created);
    expect(await historyOf(me, 'pinpoints', created.id)).toHaveLength(5);
    // Nothing is left to undo.
    expect(await keptBy(me, script.correlation)).toEqual({
      [`/pinpoints/${created.id}`]: { outcome: 'kept', reason: 'changed-since', fields: ['name'] },
    });
  });

  it('keeps the fields that others have set since, and sets the others back', async () => {
    const me = await editor();
    const script = operation(me);
    const { id } = await me.create('/pinpoints', aPinpoint({ name: 'A', address: 'A' }));
    await script.edit(`/pinpoints/${id}`, aPinpoint({ name: 'B', address: 'B' }));
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'C', address: 'B' }));
    expect(await keptBy(me, script.correlation)).toEqual({
      [`/pinpoints/${id}`]: { outcome: 'partly', reason: 'changed-since', fields: ['name'] },
    });
    expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ name: 'C', address: 'A' });
  });

  it('sets a field to the last value that others gave it in between', async () => {
    const me = await editor();
    const script = operation(me);
    const { id } = await me.create('/pinpoints', aPinpoint({ name: 'A' }));
    await script.edit(`/pinpoints/${id}`, aPinpoint({ name: 'B' }));
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'C' }));
    await script.edit(`/pinpoints/${id}`, aPinpoint({ name: 'D' }));
    expect(await keptBy(me, script.correlation)).toEqual({});
    expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ name: 'C' });
  });

  it('keeps what was deleted since', async () => {
    const me = await editor();
    const script = operation(me);
    const { id } = await me.create('/pinpoints', aPinpoint());
    await script.edit(`/pinpoints/${id}`, aPinpoint({ name: 'B' }));
    const created = await script.create('/pinpoints', aPinpoint());
    await remove(me, `/pinpoints/${id}`);
    await remove(me, `/pinpoints/${created.id}`);
    expect(await keptBy(me, script.correlation)).toEqual({
      [`/pinpoints/${id}`]: { outcome: 'kept', reason: 'deleted-since' },
      [`/pinpoints/${created.id}`]: { outcome: 'kept', reason: 'deleted-since' },
    });
  });

  it('brings back what it deleted: a pinpoint before its event and its membership', async () => {
    const me = await editor();
    const [pinpoint, list] = [await make(me, 'pinpoints'), await me.create('/lists', aList())];
    const event = await me.create('/events', anEvent(pinpoint.id, { media_file: await aFile() }));
    await add(me, list.id, pinpoint.id);
    const script = operation(me);
    await script.take(list.id, pinpoint.id);
    await script.remove(`/events/${event.id}`);
    await script.remove(`/pinpoints/${pinpoint.id}`);
    expect(await keptBy(me, script.correlation)).toEqual({});
    expect(await me.read(`/pinpoints/${pinpoint.id}`)).toEqual(pinpoint);
    expect(await me.read(`/events/${event.id}`)).toEqual(event);
    expect(await membersOf(me, list.id)).toEqual([pinpoint.id]);
  });

  it('deletes again what the undo of a deletion brought back, with the events that came to it', async () => {
    const me = await editor();
    const script = operation(me);
    const [here, there] = [await me.create('/pinpoints', aPinpoint()), await me.create('/pinpoints', aPinpoint())];
    const moved = await me.create('/events', anEvent(there.id));
    const created = await script.create('/events', anEvent(here.id));
    await script.edit(`/events/${moved.id}`, anEvent(here.id));
    await script.remove(`/pinpoints/${here.id}`);
    const paths = [`/pinpoints/${here.id}`, `/events/${created.id}`, `/events/${moved.id}`];

    const job = await undoAll(me, { correlation: script.correlation });
    expect(await me.read(`/events/${moved.id}`)).toEqual(moved);
    await isGone(me, `/events/${created.id}`);
    expect(await keptBy(me, job.id)).toEqual({});
    for (const path of paths) await isGone(me, path);
  });

  it('keeps what was restored since as it is', async () => {
    const me = await editor();
    const script = operation(me);
    const { id } = await me.create('/pinpoints', aPinpoint());
    await script.remove(`/pinpoints/${id}`);
    await restore(me, 'pinpoints', id, 0);
    expect(await keptBy(me, script.correlation)).toEqual({ [`/pinpoints/${id}`]: { outcome: 'kept', reason: 'changed-since' } });
  });

  it('takes back memberships both ways, one change for each, and keeps those that others have changed since', async () => {
    const me = await editor();
    const list = await me.create('/lists', aList());
    const [one, two, three, four] = [
      ...[(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id],
      ...[(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id],
    ] as [number, number, number, number];
    await add(me, list.id, one);
    const script = operation(me);
    await script.add(list.id, two, three);
    await script.add(list.id, four);
    await script.take(list.id, one);
    await take(me, list.id, three);
    await add(me, list.id, three);
    expect(await keptBy(me, script.correlation)).toEqual({
      [`/lists/${list.id}`]: { outcome: 'partly', reason: 'changed-since', pinpoints: [three] },
    });
    expect(await membersOf(me, list.id)).toEqual([one, three]);
    const undone = (await historyOf(me, 'lists', list.id)).slice(0, 3).map((entry) => entry.members);
    expect(undone).toEqual([
      { added: [one], removed: [] },
      { added: [], removed: [four] },
      { added: [], removed: [two] },
    ]);
  });

  it('keeps a pinpoint to which an object refers that stays, whoever referred to it', async () => {
    const me = await editor();
    const script = operation(me);
    const [here, there, listed] = [
      ...[await script.create('/pinpoints', aPinpoint()), await script.create('/pinpoints', aPinpoint())],
      await script.create('/pinpoints', aPinpoint()),
    ] as [Thing, Thing, Thing];
    const event = await script.create('/events', anEvent(here.id));
    await edit(me, 'events', event.id, anEvent(here.id, { name: 'By hand' }));
    await me.create('/events', anEvent(there.id));
    const list = await script.create('/lists', aList());
    await script.add(list.id, listed.id);
    await edit(me, 'lists', list.id, aList({ name: 'By hand' }));
    expect(await keptBy(me, script.correlation)).toEqual({
      [`/events/${event.id}`]: { outcome: 'kept', reason: 'changed-since' },
      [`/lists/${list.id}`]: { outcome: 'kept', reason: 'changed-since' },
      [`/pinpoints/${here.id}`]: { outcome: 'kept', reason: 'in-use' },
      [`/pinpoints/${there.id}`]: { outcome: 'kept', reason: 'in-use' },
      [`/pinpoints/${listed.id}`]: { outcome: 'kept', reason: 'in-use' },
    });
  });

  it('returns categories, files and dates, and keeps a category that it created', async () => {
    const me = await editor();
    const category = await me.create('/categories', await aCategory());
    const place = await me.create('/pinpoints', aPinpoint({ category: category.id, media_file: await aFile() }));
    const event = await me.create('/events', anEvent(place.id, { media_file: await aFile() }));
    const script = operation(me);
    const created = await script.create('/categories', await aCategory());
    await script.edit(`/categories/${category.id}`, { name: 'Towers', image_file: await aFile('image/gif') });
    await script.edit(`/pinpoints/${place.id}`, aPinpoint({ category: created.id, media_file: await aFile('image/gif') }));
    const dates = [{ start: '2031-01-01T00:00:00.000Z', end: '2031-01-02T00:00:00.000Z' }];
    await script.edit(`/events/${event.id}`, anEvent(place.id, { dates, media_file: await aFile('image/gif') }));
    expect(await keptBy(me, script.correlation)).toEqual({ [`/categories/${created.id}`]: { outcome: 'kept', reason: 'never-deleted' } });
    expect(await me.read(`/categories/${category.id}`)).toEqual(category);
    expect(await me.read(`/pinpoints/${place.id}`)).toEqual(place);
    expect(await me.read(`/events/${event.id}`)).toEqual(event);
  });

  it('keeps an object whose history was erased in between', async () => {
    const me = await editor();
    const script = operation(me);
    const { id } = await me.create('/pinpoints', aPinpoint({ name: 'A' }));
    await script.edit(`/pinpoints/${id}`, aPinpoint({ name: 'B' }));
    await forget(waymark, me, 'pinpoint', id);
    expect(await keptBy(me, script.correlation)).toEqual({ [`/pinpoints/${id}`]: { outcome: 'kept', reason: 'erased' } });
    expect(await me.read(`/pinpoints/${id}`)).toMatchObject({ name: 'B' });
  });

  it('reports what others have changed between the dry run and the run', async () => {
    const me = await editor();
    const script = operation(me);
    const { id } = await me.create('/pinpoints', aPinpoint({ name: 'A' }));
    await script.edit(`/pinpoints/${id}`, aPinpoint({ name: 'B' }));
    const dryRun = await runJob(me, { correlation: script.correlation, dry_run: true });
    expect(dryRun).toMatchObject({ dry_run: true, report: { undone: 1, kept: 0 } });
    expect(await historyOf(me, 'pinpoints', id)).toHaveLength(2);
    await edit(me, 'pinpoints', id, aPinpoint({ name: 'C' }));
    expect((await runJob(me, { correlation: script.correlation, dry_run: false })).report).toMatchObject({ undone: 0, kept: 1 });
  });

  it('of which nothing is known has nothing to do', async () => {
    const me = await editor();
    await make(me, 'pinpoints');
    const job = await undoAll(me, { correlation: 'no such thing' });
    expect(job).toMatchObject({
      progress: { objects: 0, done: 0 },
      report: { changes: 0, first: null, last: null, results: [], next: null },
    });
  });

  it('undoes nothing of other accounts', async () => {
    const [me, other] = [await editor(), await editor()];
    const script = operation(me);
    const { id } = await script.create('/pinpoints', aPinpoint());
    expect((await runJob(other, { correlation: script.correlation, dry_run: false })).report).toMatchObject({ objects: 0 });
    await me.read(`/pinpoints/${id}`);
    const { id: job } = await startJob(me, { correlation: script.correlation, dry_run: true });
    expect((await other.get(`/audit/v1/undos/${job}`)).status).toBe(404);
    await endOf(me, job);
  });
});
