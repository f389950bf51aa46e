import { fileOf, picture } from '../../api/pictures.ts';
import type { Session, Thing } from '../../api/session.ts';

export const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
export type Kind = (typeof kinds)[number];

/** The fields that follow from an object's key and version. The key is unique, and each change raises the version. */
type DerivedFields = { readonly name: string; readonly description: string; readonly tags: readonly string[] };

const texts = (key: string, version: number): DerivedFields => ({
  name: `${key}:${version}`,
  description: `<p>${version}</p>`,
  tags: [`v${version}`],
});

export const pinpointBody = (key: string, version: number) => ({
  ...texts(key, version),
  latitude: version % 90,
  longitude: -(version % 180),
});

export const eventBody = (key: string, version: number, pinpoint: number) => ({
  ...texts(key, version),
  pinpoint,
  dates: [{ start: momentOf(version), end: momentOf(version + 1) }],
});

export const listBody = (key: string, version: number) => {
  const { name, description } = texts(key, version);
  return { name, description };
};

const momentOf = (version: number): string => new Date(Date.UTC(2030, 0, 1) + version * 1_000).toISOString();

let pictureOnce: ReturnType<typeof fileOf> | undefined;

/** Returns the same picture file every time. */
export const pictureFile = async () => {
  pictureOnce ??= fileOf(await picture());
  return pictureOnce;
};

export type Seen = { readonly key: string; readonly version: number };

/** Returns the key and the version of an object in a response.
 * @throws if the name is not one of the load's, or if the fields are not those of the version */
export const identify = (kind: Kind, thing: Thing): Seen => {
  const name = String(thing['name']);
  const [key = '', versionText = ''] = name.split(':');
  const version = Number(versionText);
  const expected = bodyOf(kind, key, version, Number(thing['pinpoint']));
  for (const [field, value] of Object.entries(expected)) {
    if (JSON.stringify(thing[field]) !== JSON.stringify(value))
      throw new Error(`${kind}/${thing.id} does not have the fields of its version: ${JSON.stringify(thing)}`);
  }
  return { key, version };
};

const bodyOf = (kind: Kind, key: string, version: number, pinpoint: number): object => {
  switch (kind) {
    case 'pinpoints':
      return pinpointBody(key, version);
    case 'lists':
      return listBody(key, version);
    case 'events':
      return eventBody(key, version, pinpoint);
    case 'categories':
      return { name: `${key}:${version}` };
  }
};

/** Returns the objects on all pages of a path, from the first to the last. */
export const walk = async (session: Session, path: string): Promise<readonly Thing[]> => {
  const things: Thing[] = [];
  for (let next: string | null = path; next !== null; ) {
    const page = await session.page(next);
    things.push(...page.results);
    next = page.next;
  }
  return things;
};
