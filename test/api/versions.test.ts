import { type Entry, openAuditor } from './history.ts';
import { aFile } from './pictures.ts';
import { aCategory, aList, aPinpoint, members } from './samples.ts';
import { bodyOf, type Thing } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();
const auditor = () => openAuditor(waymark);

describe('a version of an object', () => {
  it('is what a client got then', async () => {
    const me = await auditor();
    const category = await me.create('/categories', await aCategory());
    const created = await me.create('/pinpoints', aPinpoint({ category: category.id, media_file: await aFile(), tags: ['a'] }));
    const edited = bodyOf<Thing>(await me.put(`/pinpoints/${created.id}`, aPinpoint({ description: '<p>White.</p>' })), 200);
    expect((await me.delete(`/pinpoints/${created.id}`)).status).toBe(204);
    const version = async (revision: number) => me.get(`/audit/v1/pinpoints/${created.id}/versions/${revision}`);
    expect(bodyOf(await version(0), 200)).toEqual(created);
    expect(bodyOf(await version(1), 200)).toEqual(edited);
    expect(bodyOf(await version(2), 404)).toMatchObject({ deleted: { revision: 2 } });
    for (const revision of [3, -1, 'x', 1.5]) expect((await version(Number(revision))).status).toBe(404);
    expect(bodyOf(await me.get(`/audit/v1/categories/${category.id}/versions/0`), 200)).toEqual(category);
  });
});

describe('the blame of an object', () => {
  it('names, for every field, the change that set it and the value before', async () => {
    const me = await auditor();
    const { id } = await me.create('/pinpoints', aPinpoint());
    bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'New lighthouse' })), 200);
    const { revision, fields } = bodyOf<{ revision: number; fields: Record<string, unknown> }>(
      await me.get(`/audit/v1/pinpoints/${id}/blame`),
      200,
    );
    expect(revision).toBe(1);
    expect(fields['name']).toMatchObject({ value: 'New lighthouse', before: 'Old lighthouse', set: { revision: 1 }, erased: null });
    expect(fields['latitude']).toMatchObject({ value: 54.18, before: null, set: { revision: 0 } });
  });
});

describe('the difference between two revisions', () => {
  it('is given by field: texts word by word, and locations by their distance', async () => {
    const me = await auditor();
    const { id } = await me.create('/pinpoints', aPinpoint({ description: '<p>White and red.</p>' }));
    bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ latitude: 55.18, description: '<p>White and <b>red</b> tower.</p>' })), 200);
    const { fields } = bodyOf<{ fields: Record<string, Record<string, unknown>> }>(
      await me.get(`/audit/v1/pinpoints/${id}/diff?from=0&to=1`),
      200,
    );
    expect(Object.keys(fields)).toEqual(['location', 'description']);
    expect(fields['location']?.['metres']).toBeCloseTo(111_195, -1);
    expect(fields['description']?.['words']).toEqual([
      { change: 'same', text: 'White and ' },
      { change: 'restyled', text: 'red' },
      { change: 'added', text: ' tower' },
      { change: 'same', text: '.' },
    ]);
  });

  it('has the members of a list that came and left, page by page', async () => {
    const me = await auditor();
    const { id } = await me.create('/lists', aList());
    const pinpoints = [];
    for (let count = 0; count < 6; count += 1) pinpoints.push((await me.create('/pinpoints', aPinpoint())).id);
    const [first = 0, second = 0, third = 0, ...others] = pinpoints;
    bodyOf(await me.post(`/lists/${id}/pinpoints`, members(first, second)), 200);
    bodyOf(await me.post(`/lists/${id}/pinpoints`, members(third, ...others)), 200);
    bodyOf(await me.delete(`/lists/${id}/pinpoints`, members(first, third)), 200);
    type Diff = { readonly members: NonNullable<Entry['members']>; readonly next: string | null };
    const added: number[] = [];
    const removed: number[] = [];
    for (let path: string | null = `/audit/v1/lists/${id}/diff?from=1&to=3&limit=2`; path !== null; ) {
      const page: Diff = bodyOf<Diff>(await me.get(path), 200);
      added.push(...page.members.added);
      removed.push(...page.members.removed);
      path = page.next;
    }
    expect({ added, removed }).toEqual({ added: others, removed: [first] });
  });

  it('requires two revisions', async () => {
    const me = await auditor();
    const { id } = await me.create('/lists', aList());
    expect(bodyOf(await me.get(`/audit/v1/lists/${id}/diff?from=x`), 400)).toEqual({
      from: [expect.any(String)],
      to: [expect.any(String)],
    });
    expect((await me.get(`/audit/v1/lists/${id}/diff?from=0&to=7`)).status).toBe(404);
  });
});
