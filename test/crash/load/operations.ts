import { eventLine, keysOf, withMembers, without, withoutMembers } from './expected-content.ts';
import { eventBody, type Kind, listBody, pictureFile, pinpointBody } from './objects.ts';
import type { Operation, Writer } from './writer.ts';

const thingsMax: Readonly<Record<Kind, number>> = { pinpoints: 8, lists: 2, categories: 2, events: 4 };
const membersAtOnceMax = 4;

/** Chooses the next operation of a writer. */
export const choose = async (writer: Writer): Promise<Operation> => {
  for (;;) {
    const operation = await (writer.random.pick(choices) ?? createPinpoint)(writer);
    if (operation) return operation;
  }
};

type Choice = (writer: Writer) => Promise<Operation | undefined>;

const createPinpoint: Choice = (writer) =>
  create(writer, 'pinpoints', async (key, version) => ({
    ...pinpointBody(key, version),
    ...(writer.random.chance(0.05) && { media_file: await pictureFile() }),
  }));

const createList: Choice = (writer) => create(writer, 'lists', async (key, version) => listBody(key, version));

const createCategory: Choice = (writer) =>
  create(writer, 'categories', async (key, version) => ({ name: `${key}:${version}`, image_file: await pictureFile() }));

const createEvent: Choice = async (writer) => {
  const place = writer.random.pick(keysOf(writer.content, 'pinpoints'));
  if (place === undefined) return undefined;
  return create(writer, 'events', async (key, version) => eventBody(key, version, idOf(writer, 'pinpoints', place)), place);
};

const create = async (
  writer: Writer,
  kind: Kind,
  bodyOf: (key: string, version: number) => Promise<object>,
  place?: string,
): Promise<Operation | undefined> => {
  if (keysOf(writer.content, kind).length >= thingsMax[kind]) return undefined;
  const version = next(writer);
  const key = `${writer.name}.${version}`;
  return {
    method: 'POST',
    path: `/${kind}`,
    body: await bodyOf(key, version),
    ...maybeKey(writer, key),
    status: 201,
    after: { ...writer.content, [`${kind}/${key}`]: lineValue(version, place) },
    creates: { kind, key },
  };
};

const editPinpoint: Choice = (writer) => edit(writer, 'pinpoints', (key, version) => pinpointBody(key, version));
const editList: Choice = (writer) => edit(writer, 'lists', (key, version) => listBody(key, version));
const editCategory: Choice = (writer) => edit(writer, 'categories', (key, version) => ({ name: `${key}:${version}` }));

/** Edits an event, and also moves it to a random pinpoint. */
const editEvent: Choice = async (writer) => {
  const place = writer.random.pick(keysOf(writer.content, 'pinpoints'));
  if (place === undefined) return undefined;
  return edit(writer, 'events', (key, version) => eventBody(key, version, idOf(writer, 'pinpoints', place)), place);
};

const edit = async (
  writer: Writer,
  kind: Kind,
  bodyOf: (key: string, version: number) => object,
  place?: string,
): Promise<Operation | undefined> => {
  const key = writer.random.pick(keysOf(writer.content, kind));
  if (key === undefined) return undefined;
  const version = next(writer);
  return {
    method: 'PUT',
    path: `/${kind}/${idOf(writer, kind, key)}`,
    body: bodyOf(key, version),
    status: 200,
    after: { ...writer.content, [`${kind}/${key}`]: lineValue(version, place) },
  };
};

const removal =
  (kind: Kind): Choice =>
  async (writer) => {
    const key = writer.random.pick(keysOf(writer.content, kind));
    if (key === undefined) return undefined;
    return { method: 'DELETE', path: `/${kind}/${idOf(writer, kind, key)}`, status: 204, after: without(writer.content, kind, key) };
  };

/** Changes the members of a list: one of the writer's own lists, or one that all writers share. */
const membership =
  (method: 'POST' | 'DELETE', changed: typeof withMembers): Choice =>
  async (writer) => {
    const list = writer.random.pick([...keysOf(writer.content, 'lists'), ...sharedLists(writer)]);
    const pinpoints = keysOf(writer.content, 'pinpoints').filter(() => writer.random.chance(0.4));
    if (list === undefined || pinpoints.length === 0) return undefined;
    const members = pinpoints.slice(0, membersAtOnceMax);
    return {
      method,
      path: `/lists/${idOf(writer, 'lists', list)}/pinpoints`,
      body: members.map((key) => ({ id: idOf(writer, 'pinpoints', key) })),
      ...(method === 'POST' && list.startsWith(sharedName) && maybeKey(writer, `${writer.name}.${next(writer)}`)),
      status: 200,
      after: changed(writer.content, list, members),
    };
  };

const choices: readonly Choice[] = [
  createPinpoint,
  createPinpoint,
  createPinpoint,
  createList,
  createCategory,
  createEvent,
  createEvent,
  editPinpoint,
  editPinpoint,
  editList,
  editCategory,
  editEvent,
  removal('pinpoints'),
  removal('lists'),
  removal('events'),
  membership('POST', withMembers),
  membership('POST', withMembers),
  membership('DELETE', withoutMembers),
];

/** The prefix of the keys of lists that all writers share. */
export const sharedName = 'shared';

const sharedLists = ({ idsByLine }: Writer): readonly string[] =>
  [...idsByLine.keys()].filter((line) => line.startsWith(`lists/${sharedName}.`)).map((line) => line.slice('lists/'.length));

const next = (writer: Writer): number => {
  writer.keysUsed += 1;
  return writer.keysUsed;
};

const lineValue = (version: number, place: string | undefined): string =>
  place === undefined ? String(version) : eventLine(version, place);

const maybeKey = ({ random }: Writer, text: string) => (random.chance(0.4) ? { idempotencyKey: text } : {});

const idOf = ({ idsByLine }: Writer, kind: Kind, key: string): number => {
  const id = idsByLine.get(`${kind}/${key}`);
  if (id === undefined) throw new Error(`The id of ${kind}/${key} is not known.`);
  return id;
};
