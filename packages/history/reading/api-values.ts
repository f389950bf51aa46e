import type { StoredFile } from '@waymark/domain/fields.ts';

const asItIs = (name: string): [string, string] => [name, name];

/** All fields, in the order in which the API has them, with their names there. */
const fields: ReadonlyMap<string, string> = new Map([
  ...['name', 'address', 'latitude', 'longitude', 'altitude', 'category', 'pinpoint', 'dates', 'description'].map(asItIs),
  ['mediaCredits', 'media_credits'],
  ['media', 'media_url'],
  ['image', 'image_url'],
  ...['tags', 'scopes', 'secrets', 'status'].map(asItIs),
]);

const order: readonly string[] = [...fields.keys()];

/** Returns the name of a field as the API has it. */
export const apiName = (field: string): string => fields.get(field) ?? field;

/** Returns the field that has a name in the API; undefined if there is none. */
export const fieldNamed = (name: string): string | undefined => order.find((field) => apiName(field) === name);

/** Returns names of fields in the order in which the API has them. */
export const inApiOrder = (names: readonly string[]): readonly string[] =>
  names.toSorted((one, other) => order.indexOf(one) - order.indexOf(other));

/** Returns the value of a field as the API has it; null for a value that is not known.
 * @param base the public base URL, without a trailing slash */
export const apiValue = (value: unknown, base: string): unknown => (isFile(value) ? `${base}/media/${value.name}` : (value ?? null));

const isFile = (value: unknown): value is StoredFile => typeof value === 'object' && value !== null && 'digest' in value && 'name' in value;
