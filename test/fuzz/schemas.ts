import { type FileObject, fileOf, picture } from '../api/pictures.ts';
import type { Random } from '../crash/random.ts';
import { oddText } from './odd.ts';

/** The part of JSON Schema that the API's document uses. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly format?: string;
};

/** The part of the API's document from which bodies are made. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: RequestBody }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type RequestBody = { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };

/** Returns the schema of the body that an endpoint accepts, or undefined if no body is described. */
export const bodySchema = ({ paths }: Document, method: string, path: string): Schema | undefined => {
  const content = paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {};
  return Object.values(content)[0]?.schema;
};

/** A function that makes values, most of which fit the schema. */
export type Maker = (schema: Schema, random: Random) => unknown;

export const makerFor = async (document: Document): Promise<Maker> => {
  const files = await Promise.all([picture('image/png'), picture('image/jpeg')]);
  const pictures = [fileOf(files[0] ?? Buffer.alloc(0)), fileOf(files[1] ?? Buffer.alloc(0), 'image/jpeg')];
  const make: Maker = (schema, random) => {
    if (schema.$ref !== undefined) return named(schema.$ref.split('/').at(-1) ?? '', random);
    if (schema.const !== undefined) return schema.const;
    if (schema.anyOf !== undefined) return make(random.pick(schema.anyOf) ?? {}, random);
    return ofType(String(random.pick([schema.type ?? 'string'].flat())), schema, random, make);
  };
  const named = (name: string, random: Random): unknown => {
    if (name === 'FileObject' && random.chance(0.8)) return aFile(pictures, random);
    if (name === 'DateRange' && random.chance(0.9)) return aRange(random);
    return make(document.components.schemas[name] ?? {}, random);
  };
  return make;
};

const ofType = (type: string, schema: Schema, random: Random, make: Maker): unknown => {
  switch (type) {
    case 'object':
      return anObject(schema, random, make);
    case 'array':
      return Array.from({ length: lengthOf(schema.minItems ?? 0, schema.maxItems ?? 3, random) }, () => make(schema.items ?? {}, random));
    case 'number':
    case 'integer':
      return aNumber(type, schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return schema.format === 'date-time' ? aMoment(random) : aText(schema, random);
  }
};

const anObject = ({ properties = {}, required = [] }: Schema, random: Random, make: Maker): unknown => {
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (required.includes(name) || random.chance(0.4)) made[name] = make(schema, random);
  }
  return made;
};

/** Returns a small length in most cases, and sometimes the largest that is allowed. */
const lengthOf = (min: number, max: number, random: Random): number => (random.chance(0.01) ? max : Math.min(max, min + random.below(4)));

const aNumber = (type: string, { minimum = -1_000, maximum = 1_000 }: Schema, random: Random): number => {
  if (random.chance(0.1)) return random.pick([minimum, maximum, 0]) ?? 0;
  const value = minimum + random.next() * (Math.min(maximum, 1e6) - minimum);
  return type === 'integer' ? Math.floor(value) : value;
};

const aText = ({ maxLength = 200 }: Schema, random: Random): string => {
  if (random.chance(0.02)) return (random.pick(['x', 'é', '𝒳', '<b>']) ?? '').repeat(maxLength).slice(0, maxLength);
  return random.chance(0.3) ? oddText(random) : `text ${random.below(1e6)}`;
};

const aMoment = (random: Random): string => new Date(random.below(2 ** 31) * 1_000).toISOString();

const aRange = (random: Random): object => {
  const start = aMoment(random);
  return { start, end: random.chance(0.5) ? start : new Date(Date.parse(start) + random.below(1e9)).toISOString() };
};

/** Returns a file object. Few different files are sent, because the server stores each one. */
const aFile = (pictures: readonly FileObject[], random: Random): unknown =>
  random.chance(0.5) ? random.pick(pictures) : { ...random.pick(pictures), content: 'AAAA' };
