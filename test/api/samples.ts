import { aFile } from './pictures.ts';
import type { Session, Thing } from './session.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An id that no installation ever gives out. */
export const unknownId = Number.MAX_SAFE_INTEGER;

export const aPinpoint = (fields: Fields = {}): Fields => ({ name: 'Old lighthouse', latitude: 54.18, longitude: 7.88, ...fields });
export const aList = (fields: Fields = {}): Fields => ({ name: 'Walks by the sea', ...fields });
export const aCategory = async (fields: Fields = {}): Promise<Fields> => ({ name: 'Lighthouses', image_file: await aFile(), ...fields });
export const anEvent = (pinpoint: number, fields: Fields = {}): Fields => ({
  name: 'Night of the lamps',
  pinpoint,
  dates: [{ start: '2030-06-21T20:00:00.000Z', end: '2030-06-22T02:00:00.000Z' }],
  ...fields,
});

/** The common properties of the four resources, for tests that cover all of them. */
export type Resource = {
  readonly name: string;
  readonly required: readonly string[];
  /** Creates a body that POST and PUT accept, with the required fields only. */
  readonly body: (me: Session, fields?: Fields) => Promise<Fields>;
  /** Creates a body with every field, none of them at its default. */
  readonly full: (me: Session) => Promise<Fields>;
};

export const resources: readonly Resource[] = [
  {
    name: 'pinpoints',
    required: ['name', 'latitude', 'longitude'],
    body: async (_, fields) => aPinpoint(fields),
    full: async (me) =>
      aPinpoint({
        address: '1 Harbour Road',
        altitude: 61.5,
        category: (await me.create('/categories', await aCategory())).id,
        description: '<p>White and red.</p>',
        media_credits: '© A. Keeper',
        media_file: await aFile(),
        tags: ['sea', 'tower'],
      }),
  },
  {
    name: 'lists',
    required: ['name'],
    body: async (_, fields) => aList(fields),
    full: async () => aList({ description: '<p>All of them flat.</p>' }),
  },
  {
    name: 'categories',
    required: ['name', 'image_file'],
    body: (_, fields) => aCategory(fields),
    full: () => aCategory(),
  },
  {
    name: 'events',
    required: ['name', 'pinpoint', 'dates'],
    body: async (me, fields) => anEvent((await me.create('/pinpoints', aPinpoint())).id, fields),
    full: async (me) =>
      anEvent((await me.create('/pinpoints', aPinpoint())).id, {
        description: '<p>Bring a lamp.</p>',
        media_credits: '© B. Keeper',
        media_file: await aFile(),
        tags: ['night', 'lamps'],
      }),
  },
];

export const resourceNamed = (name: string): Resource => {
  const found = resources.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`no resource is called ${name}`);
  return found;
};

/** Creates an object of a resource, together with the objects that it refers to. */
export const make = async (me: Session, resource: string, fields: Fields = {}): Promise<Thing> =>
  me.create(`/${resource}`, await resourceNamed(resource).body(me, fields));

export const members = (...ids: unknown[]): { id: unknown }[] => ids.map((id) => ({ id }));
