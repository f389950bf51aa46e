import { type Asked, defaultsOf, type Fields, type Kind, kinds, urlOf } from './kinds.ts';
import type { Picture } from './pictures.ts';
import type { RuleContext } from './rules.ts';

/** An object in the model. */
export type Thing = {
  readonly kind: Kind;
  readonly id: number;
  readonly account: string;
  /** The fields of the response in their order, without the id. */
  fields: Fields;
  /** The number of the picture that its file contains. */
  picture: number | null;
  /** False once the object itself is deleted. */
  present: boolean;
  /** The number of changes to the object. */
  revision: number;
  /** The entity tags of the responses, by revision. */
  readonly tags: Map<number, string>;
  /** The ids of a list's members, including those of deleted pinpoints. */
  readonly members: Set<number>;
};

/** A request with an Idempotency-Key, and its response. */
export type Kept = { readonly path: string; readonly text: string; readonly status: number; readonly answer: string };

/** A pointer that a page contained, and the page that it refers to: the objects of a collection after an id, or before it. */
export type Bookmark = {
  readonly account: string;
  readonly url: string;
  readonly kind: Kind;
  readonly within: number | undefined;
  readonly direction: 'next' | 'previous';
  readonly from: number;
  readonly limit: number;
};

/** The expected content of the service, for the accounts of one run. */
export type Model = {
  readonly things: Record<Kind, Thing[]>;
  /** The requests by application, path and key. */
  readonly requests: Map<string, Kept & { readonly application: string; readonly key: string }>;
  readonly bookmarks: Bookmark[];
};

export const emptyModel = (): Model => ({
  things: { pinpoints: [], lists: [], categories: [], events: [] },
  requests: new Map(),
  bookmarks: [],
});

export const find = (model: Model, kind: Kind, id: number): Thing | undefined => model.things[kind].find((thing) => thing.id === id);

/** Reports whether readers see an object. An event disappears with its pinpoint. */
export const isShown = (model: Model, thing: Thing): boolean => {
  if (!thing.present || thing.kind !== 'events') return thing.present;
  return find(model, 'pinpoints', thing.fields['pinpoint'] as number)?.present === true;
};

/** Returns the objects of a kind that an account sees, optionally only those of a list or a pinpoint, by ascending id. */
export const shownTo = (model: Model, account: string, kind: Kind, within?: number): Thing[] =>
  model.things[kind]
    .filter((thing) => thing.account === account && isShown(model, thing) && isWithin(model, account, thing, within))
    .sort((one, other) => one.id - other.id);

const isWithin = (model: Model, account: string, thing: Thing, within: number | undefined): boolean => {
  if (within === undefined) return true;
  if (thing.kind === 'events') return thing.fields['pinpoint'] === within;
  const list = find(model, 'lists', within);
  return list?.present === true && list.account === account && list.members.has(thing.id);
};

/** Returns what bodies of an account may refer to. */
export const worldOf = (model: Model, account: string, pictures: readonly Picture[]): RuleContext => ({
  refers: (kind, id) => {
    const thing = find(model, kind, id);
    return thing !== undefined && thing.account === account && isShown(model, thing);
  },
  picture: (content, type) => {
    const bare = content.startsWith(`data:${type};base64,`) ? content.slice(`data:${type};base64,`.length) : content;
    const found = pictures.findIndex((picture) => picture.content === bare && picture.type === type);
    return found < 0 ? undefined : found;
  },
});

/** Creates a new object. The URL of its file is known only from the response. */
export const created = (kind: Kind, account: string, id: number, { fields, picture = null }: Asked): Thing => ({
  kind,
  id,
  account,
  fields: { ...defaultsOf[kind], ...fields },
  picture,
  present: true,
  revision: 0,
  tags: new Map(),
  members: new Set(),
});

/** Changes an object. A change without effect makes no revision.
 * @returns whether the response must contain a new URL */
export const edit = (thing: Thing, { fields, picture }: Asked): boolean => {
  const isNewPicture = picture !== undefined && picture !== thing.picture;
  const edited = { ...thing.fields, ...fields };
  if (!isNewPicture && JSON.stringify(edited) === JSON.stringify(thing.fields)) return false;
  thing.revision += 1;
  thing.fields = edited;
  if (!isNewPicture) return false;
  thing.picture = picture;
  return picture !== null || setUrl(thing, null);
};

/** Sets the URL of an object's file.
 * @returns false, so that `edit` can return it */
export const setUrl = (thing: Thing, url: string | null): false => {
  const field = urlOf[thing.kind];
  if (field !== undefined) thing.fields = { ...thing.fields, [field]: url };
  return false;
};

export const textOf = ({ id, fields }: Thing): string => JSON.stringify({ id, ...fields });

export const everything = (model: Model): Thing[] => kinds.flatMap((kind) => model.things[kind]);
