import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import { compareDescriptions, type DescriptionComparison } from './descriptions.ts';
import { type Coordinates, distanceMetres } from './distance.ts';

type ApiFields = Omit<PinpointFields & HappeningFields, 'media' | 'mediaCredits'> & {
  readonly media_credits: string;
  readonly media_url: string | null;
  readonly image_url: string | null;
  /** Of an application. */
  readonly scopes: readonly string[];
  readonly secrets: readonly string[];
  readonly status: string;
};

/** An object in the format of `/v3.0`, or an application. An object of each kind has some of the fields. */
export type Representation = Partial<ApiFields>;

export type Change<Value> = { readonly old: Value; readonly new: Value };

type PlainField = Exclude<keyof ApiFields, 'latitude' | 'longitude' | 'description' | 'tags'>;

/** The fields that differ, in the order of the API. */
export type FieldChanges = { readonly [Field in PlainField]?: Change<ApiFields[Field]> } & {
  /** Latitude and longitude, and the distance in metres, to the millimetre. */
  readonly location?: Change<Coordinates> & { readonly metres: number };
  readonly description?: Change<string> & DescriptionComparison;
  readonly tags?: Change<readonly string[]> & { readonly added: readonly string[]; readonly removed: readonly string[] };
};

/** Compares two representations of objects of one kind, such as two versions of an object. */
export const compareFields = (from: Representation, to: Representation): FieldChanges =>
  defined({
    name: change(from.name, to.name),
    image_url: change(from.image_url, to.image_url),
    address: change(from.address, to.address),
    location: locationChange(from, to),
    altitude: change(from.altitude, to.altitude),
    category: change(from.category, to.category),
    pinpoint: change(from.pinpoint, to.pinpoint),
    dates: change(from.dates, to.dates),
    description: descriptionChange(from, to),
    media_credits: change(from.media_credits, to.media_credits),
    media_url: change(from.media_url, to.media_url),
    tags: tagsChange(from, to),
    scopes: change(from.scopes, to.scopes),
    secrets: change(from.secrets, to.secrets),
    status: change(from.status, to.status),
  });

/** Returns undefined if the values are the same, or if the kind has no such field. */
const change = <Value>(from: Value | undefined, to: Value | undefined): Change<Value> | undefined =>
  from === undefined || to === undefined || from === to || JSON.stringify(from) === JSON.stringify(to) ? undefined : { old: from, new: to };

const locationChange = (from: Representation, to: Representation): FieldChanges['location'] => {
  const changed = change(coordinates(from), coordinates(to));
  return changed && { ...changed, metres: Math.round(distanceMetres(changed.old, changed.new) * 1000) / 1000 };
};

const coordinates = ({ latitude, longitude }: Representation): Coordinates | undefined =>
  latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };

const descriptionChange = (from: Representation, to: Representation): FieldChanges['description'] => {
  const changed = change(from.description, to.description);
  return changed && { ...changed, ...compareDescriptions(changed.old, changed.new) };
};

const tagsChange = (from: Representation, to: Representation): FieldChanges['tags'] => {
  const changed = change(from.tags, to.tags);
  if (!changed) return undefined;
  const [before, after] = [new Set(changed.old), new Set(changed.new)];
  return { ...changed, added: [...after.difference(before)], removed: [...before.difference(after)] };
};

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
