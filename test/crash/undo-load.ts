import { randomUUID } from 'node:crypto';
import { inFlight } from '../api/client.ts';
import { type Entry, historyOf } from '../api/history.ts';
import { aList, anEvent, aPinpoint, members } from '../api/samples.ts';
import { bodyOf, type Session, type Thing } from '../api/session.ts';
import { endOf, linesOf } from '../api/undo-jobs.ts';

const places = 120;
const readsAtOnce = 16;

/** What an operation has changed and created. */
export type Loaded = {
  readonly correlation: string;
  readonly edited: readonly Thing[];
  readonly created: readonly string[];
  readonly list: number;
};

/** Makes objects, and lets an operation change them, create others, and change the members of a list. */
export const prepare = async (me: Session): Promise<Loaded> => {
  const correlation = randomUUID();
  const headers = { 'Correlation-Id': correlation };
  const create = async (path: string, fields: object) => bodyOf<Thing>(await me.post(path, fields, headers), 201);
  const edited = await Promise.all(
    Array.from({ length: places }, (_, nth) => me.create('/pinpoints', aPinpoint({ name: `Place ${nth}` }))),
  );
  const list = await me.create('/lists', aList());
  await Promise.all(edited.map(async ({ id }) => bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'Changed' }), headers), 200)));
  const pinpoints = await Promise.all(Array.from({ length: places }, () => create('/pinpoints', aPinpoint())));
  const events = await Promise.all(pinpoints.map(({ id }) => create('/events', anEvent(id))));
  for (const { id } of pinpoints) bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(id), headers), 200);
  const created = [...pinpoints.map(({ id }) => `/pinpoints/${id}`), ...events.map(({ id }) => `/events/${id}`)];
  return { correlation, edited, created, list: list.id };
};

/** Checks that a job has undone everything, each object with one event, and a list with one for each membership event. */
const checkChanges = async (me: Session, job: string, { edited, created, list }: Loaded): Promise<void> => {
  const byJob = (entries: readonly Entry[]) => entries.filter(({ cause, revision }) => cause === job && revision !== null);
  await inFlight(readsAtOnce, edited, async (thing) => {
    expect(await me.read(`/pinpoints/${thing.id}`)).toEqual(thing);
    expect(byJob(await historyOf(me, 'pinpoints', thing.id))).toHaveLength(1);
  });
  await inFlight(readsAtOnce, created, async (path) => {
    expect((await me.get(path)).status).toBe(404);
    const [, kind = '', id = ''] = path.split('/');
    expect(byJob(await historyOf(me, kind, id))).toHaveLength(1);
  });
  expect((await me.page(`/pinpoints?list=${list}`)).results).toEqual([]);
  const { results } = bodyOf<{ results: Entry[] }>(await me.get(`/audit/v1/lists/${list}/history?limit=500`), 200);
  const removals = byJob(results).map((entry) => entry.members?.removed);
  expect(removals).toHaveLength(places);
  expect(new Set(removals.flat()).size).toBe(places);
};

/** Waits for the end of a job, and checks that it has done nothing twice, and left nothing out. */
export const checkUndone = async (me: Session, id: string, loaded: Loaded): Promise<void> => {
  const job = await endOf(me, id);
  const objects = loaded.edited.length + loaded.created.length + 1;
  expect(job).toMatchObject({ status: 'done', report: { objects, undone: objects, partly: 0, kept: 0 } });
  const reported = (await linesOf(me, job)).map(({ object }) => `${object.kind} ${object.id}`);
  expect(reported).toHaveLength(objects);
  expect(new Set(reported).size).toBe(objects);
  await checkChanges(me, id, loaded);
};
