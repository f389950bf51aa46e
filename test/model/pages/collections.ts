import { inFlight } from '../../api/client.ts';
import { aList, anEvent, aPinpoint, members } from '../../api/samples.ts';
import type { Session } from '../../api/session.ts';
import type { Random } from '../../crash/random.ts';
import type { Picture } from '../commands/pictures.ts';

/** A paged collection in an account of its own, and the writes that disturb it. */
export type Collection = {
  readonly path: string;
  /** The ids of the objects that are never changed, ascending. */
  readonly lasting: readonly number[];
  /** Makes one write: adds an object, or removes one that is not lasting. */
  readonly disturb: (random: Random) => Promise<void>;
  /** The ids of everything that was ever in the collection. */
  readonly known: ReadonlySet<number>;
};

const lastingCount = 60;
const passingMax = 120;
const atOnce = 16;

/** Creates lasting and temporary objects, mixed. Its writes then add and remove temporary objects.
 * @param knownMax the most objects to create, where removed objects stay or only come back */
const churning = async (
  path: string,
  add: (nth: number) => Promise<number>,
  remove: (id: number, keep: (id: number) => void) => Promise<void>,
  knownMax = Number.POSITIVE_INFINITY,
): Promise<Collection> => {
  const lasting: number[] = [];
  const passing: number[] = [];
  const known = new Set<number>();
  const adding = async (nth: number): Promise<number> => {
    const id = await add(nth);
    known.add(id);
    return id;
  };
  const made = await inFlight(atOnce, [...Array(2 * lastingCount).keys()], adding);
  for (const id of made.toSorted(ascending)) (lasting.length < passing.length ? lasting : passing).push(id);
  return {
    path,
    lasting,
    known,
    disturb: async (random) => {
      const isFull = passing.length >= passingMax || known.size >= knownMax;
      if (passing.length < lastingCount || (!isFull && random.chance(0.5))) passing.push(await adding(known.size));
      else await remove(passing.splice(random.below(passing.length), 1)[0] ?? 0, (id) => passing.push(id));
    },
  };
};

const ascending = (one: number, other: number): number => one - other;

const removed = async (me: Session, path: string): Promise<void> => {
  const { status, text } = await me.delete(path);
  if (status !== 204) throw new Error(`DELETE ${path} answered ${status} ${text}`);
};

const simple = (me: Session, path: string, body: () => Readonly<Record<string, unknown>>): Promise<Collection> =>
  churning(
    path,
    async () => (await me.create(path, body())).id,
    (id) => removed(me, `${path}/${id}`),
  );

const categoriesMax = 250;

/** Categories are only added; after that they are renamed. */
const categories = (me: Session, picture: () => Picture | undefined): Promise<Collection> =>
  churning(
    '/categories',
    async () => (await me.create('/categories', { name: 'Category', image_file: picture() })).id,
    async (id, keep) => {
      await me.put(`/categories/${id}`, { name: `Renamed ${Math.random()}` });
      keep(id);
    },
    categoriesMax,
  );

/** Pinpoints are added to a list and removed from it, some by deletion. Their ids do not ascend in the order in which they are added. */
const ofList = async (me: Session): Promise<Collection> => {
  const list = (await me.create('/lists', aList())).id;
  const path = `/lists/${list}/pinpoints`;
  const ready = await inFlight(atOnce, [...Array(4 * lastingCount).keys()], async () => (await me.create('/pinpoints', aPinpoint())).id);
  const spare = ready.toSorted((one, other) => ((one * 7919) % 101) - ((other * 7919) % 101));
  let removals = 0;
  return churning(
    `/pinpoints?list=${list}`,
    async () => {
      const id = spare.shift() ?? (await me.create('/pinpoints', aPinpoint())).id;
      await me.post(path, members(id));
      return id;
    },
    async (id) => {
      removals += 1;
      if (removals % 4 === 0) return removed(me, `/pinpoints/${id}`);
      await me.delete(path, members(id));
      spare.push(id);
    },
  );
};

/** Events are added to a pinpoint and removed from it, some by moving them to another pinpoint. */
const ofPinpoint = async (me: Session): Promise<Collection> => {
  const here = (await me.create('/pinpoints', aPinpoint())).id;
  const elsewhere = (await me.create('/pinpoints', aPinpoint())).id;
  let removals = 0;
  return churning(
    `/events?pinpoint=${here}`,
    async () => (await me.create('/events', anEvent(here))).id,
    async (id) => {
      removals += 1;
      if (removals % 4 === 0) await me.put(`/events/${id}`, anEvent(elsewhere));
      else await removed(me, `/events/${id}`);
    },
  );
};

/** Events disappear with the pinpoints that they take place at. */
const ofManyPinpoints = async (me: Session): Promise<Collection> => {
  const places = new Map<number, number>();
  return churning(
    '/events',
    async () => {
      const pinpoint = (await me.create('/pinpoints', aPinpoint())).id;
      const { id } = await me.create('/events', anEvent(pinpoint));
      places.set(id, pinpoint);
      return id;
    },
    (id) => removed(me, `/pinpoints/${places.get(id)}`),
  );
};

/** Creates pinpoints, some with texts so long that a few of them fill a page. */
export const ofMixedSizes = (me: Session): Promise<Collection> => {
  let made = 0;
  return simple(me, '/pinpoints', () => {
    made += 1;
    return { ...aPinpoint(), description: '語'.repeat(made % 3 === 0 ? 70_000 + made : made % 50) };
  });
};

/** All collections, with all filters. */
export const collections = (pictures: () => readonly Picture[]): Readonly<Record<string, (me: Session) => Promise<Collection>>> => ({
  pinpoints: (me) => simple(me, '/pinpoints', aPinpoint),
  lists: (me) => simple(me, '/lists', aList),
  categories: (me) => categories(me, () => pictures()[0]),
  events: ofManyPinpoints,
  'pinpoints of a list': ofList,
  'events of a pinpoint': ofPinpoint,
});
