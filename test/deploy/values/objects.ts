import { type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** Returns an object whose fields may all be left out, and that has no other fields. */
export const optionalFields = (properties: TProperties, description?: string) =>
  Type.Object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])), {
    additionalProperties: false,
    ...(description !== undefined && { description }),
  });

/** Returns an object whose fields with these names must be there. A field whose lines are all comments is null, and Helm drops it with its
 * defaults. */
export const withRequired = (required: readonly string[], object: TSchema): TSchema => ({ ...object, required });

export const text = (description: string, pattern?: string) => Type.String({ description, ...(pattern !== undefined && { pattern }) });
export const flag = (description: string) => Type.Boolean({ description });
export const count = (description: string, maximum: number, minimum = 0) => Type.Integer({ minimum, maximum, description });

/** Part of a manifest: Kubernetes checks what is in it. */
export const manifest = (description: string) => Type.Object({}, { additionalProperties: true, description });
export const manifests = (description: string) => Type.Array(manifest(description), { description });
export const texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });
export const textList = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description });

const isOnOrOff = (schema: TSchema): boolean =>
  Array.isArray(schema['anyOf']) && schema['anyOf'].every((one: TSchema) => one['const'] === 'on' || one['const'] === 'off');

/** Returns the schema of a value for a setting. YAML reads `on` and `off` without quotes as booleans, so both are accepted. An empty text
 * counts as not set. */
export const settingValue = (schema: TSchema): TSchema => {
  const { default: standard, description = '', ...own } = JSON.parse(JSON.stringify(schema)) as Plain;
  const shown = { description, ...(standard !== undefined && { default: standard }) };
  if (isOnOrOff(schema)) return Type.Unsafe({ ...shown, enum: ['on', 'off', true, false] });
  return Type.Unsafe('pattern' in own || 'minLength' in own ? { ...shown, anyOf: [own, { const: '' }] } : { ...own, ...shown });
};

/** A schema as JSON. */
type Plain = { readonly default?: string | number | boolean; readonly description?: string } & Readonly<Record<string, unknown>>;
