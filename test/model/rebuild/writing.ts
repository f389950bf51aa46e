import type { Answer } from '../../api/client.ts';
import { aList, anEvent, aPinpoint, members } from '../../api/samples.ts';
import type { Session, Thing } from '../../api/session.ts';
import type { Random } from '../../crash/random.ts';
import type { Picture } from '../commands/pictures.ts';
import type { Server } from '../server.ts';

/** An account that gets random writes, and the ids that it has created, including those of deleted objects. */
export type Writer = {
  readonly session: Session;
  readonly ids: Readonly<Record<'pinpoints' | 'lists' | 'categories' | 'events', number[]>>;
  readonly applications: string[];
};

export const newWriter = async (server: Server, account: string): Promise<Writer> => ({
  session: await server.session(await server.application(account)),
  ids: { pinpoints: [], lists: [], categories: [], events: [] },
  applications: [],
});

type Write = (writer: Writer, random: Random) => Promise<unknown>;

const nameOf = (random: Random): string =>
  random.pick(['Hill', 'e\u0301t\u00e9', '\u202eback', '😀', '"quoted"\\', `n ${random.next()}`]) ?? '';

/** Returns a recent id of this account. The object may be deleted. */
const anId = ({ ids }: Writer, random: Random, of: keyof Writer['ids']): number => random.pick(ids[of].slice(-recentMax)) ?? 0;

/** Most writes affect recent objects. */
const recentMax = 400;

const keep = (writer: Writer, of: keyof Writer['ids'], { status, body }: Answer): void => {
  if (status === 201) writer.ids[of].push((body as Thing).id);
};

/** Adds a key to some requests, so that claims are between the events that the read models are made from. */
const sometimesKeyed = (random: Random): Readonly<Record<string, string>> =>
  random.chance(0.2) ? { 'Idempotency-Key': String(random.next()) } : {};

const pinpointBody = (writer: Writer, random: Random) =>
  aPinpoint({
    name: nameOf(random),
    latitude: random.next() * 90,
    tags: ['a', 'b', 'c'].filter(() => random.chance(0.5)),
    ...(random.chance(0.3) && writer.ids.categories.length > 0 ? { category: anId(writer, random, 'categories') } : {}),
    ...(random.chance(0.3) ? { altitude: random.below(1_000), description: '<p onclick="x">p</p>' } : {}),
  });

const eventBody = (writer: Writer, random: Random) => anEvent(anId(writer, random, 'pinpoints'), { name: nameOf(random) });

const someMembers = (writer: Writer, random: Random) =>
  members(...Array.from({ length: 1 + random.below(random.chance(0.05) ? 300 : 10) }, () => anId(writer, random, 'pinpoints')));

const create =
  (of: 'pinpoints' | 'lists' | 'events', body: (writer: Writer, random: Random) => object): Write =>
  async (writer, random) =>
    keep(writer, of, await writer.session.post(`/${of}`, body(writer, random), sometimesKeyed(random)));

const edit =
  (of: 'pinpoints' | 'lists' | 'events', body: (writer: Writer, random: Random) => object): Write =>
  (writer, random) =>
    writer.session.put(`/${of}/${anId(writer, random, of)}`, body(writer, random));

const remove =
  (of: 'pinpoints' | 'lists' | 'events'): Write =>
  (writer, random) =>
    writer.session.delete(`/${of}/${anId(writer, random, of)}`);

const listBody = (_: Writer, random: Random) => aList({ name: nameOf(random), description: random.chance(0.5) ? 'plain' : '<b>bold</b>' });

const category =
  (pictures: readonly Picture[]): Write =>
  async (writer, random) => {
    const body = { name: nameOf(random), image_file: random.pick(pictures) };
    if (random.chance(0.5)) return keep(writer, 'categories', await writer.session.post('/categories', body));
    return writer.session.put(`/categories/${anId(writer, random, 'categories')}`, body);
  };

const picture =
  (pictures: readonly Picture[]): Write =>
  (writer, random) => {
    const media_file = random.chance(0.3) ? null : random.pick(pictures);
    return random.chance(0.5)
      ? writer.session.put(`/pinpoints/${anId(writer, random, 'pinpoints')}`, aPinpoint({ media_file }))
      : writer.session.put(`/events/${anId(writer, random, 'events')}`, { ...eventBody(writer, random), media_file });
  };

const application =
  (server: Server): Write =>
  async (writer, random) => {
    if (random.chance(0.4)) writer.applications.push((await server.application(nameOf(random))).client_id);
    const id = random.pick(writer.applications);
    const change = random.pick(['suspend', 'resume', 'rotate', '']);
    if (id !== undefined) await server.operator(change === '' ? 'DELETE' : 'POST', `/applications/${id}${change && `/${change}`}`);
  };

/** Makes one write of a random kind, by the weight of each kind. Some writes are refused, because their object was deleted. */
export const anyWrite = (server: Server, pictures: readonly Picture[]): Write => {
  const weighted: readonly (readonly [weight: number, write: Write])[] = [
    [30, create('pinpoints', pinpointBody)],
    [8, create('lists', listBody)],
    [20, create('events', eventBody)],
    [20, edit('pinpoints', pinpointBody)],
    [5, edit('lists', listBody)],
    [14, edit('events', eventBody)],
    [5, remove('pinpoints')],
    [2, remove('lists')],
    [5, remove('events')],
    [25, (writer, random) => writer.session.post(`/lists/${anId(writer, random, 'lists')}/pinpoints`, someMembers(writer, random))],
    [10, (writer, random) => writer.session.delete(`/lists/${anId(writer, random, 'lists')}/pinpoints`, someMembers(writer, random))],
    [2, category(pictures)],
    [2, picture(pictures)],
    [1, application(server)],
  ];
  const writes = weighted.flatMap(([weight, write]) => new Array<Write>(weight).fill(write));
  return async (writer, random) => random.pick(writes)?.(writer, random);
};
