import { type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** Schemas that several values share. */
export type Definitions = {
  readonly all: Readonly<Record<string, TSchema>>;
  /** Returns a reference to a schema, or the schema itself if another one has its name. */
  readonly refer: (name: string, schema: TSchema) => TSchema;
  /** Does the same for each of several schemas. */
  readonly referEach: (schemas: TProperties) => TProperties;
};

export const createDefinitions = (): Definitions => {
  const all: Record<string, TSchema> = {};
  const refer: Definitions['refer'] = (name, schema) => {
    all[name] ??= schema;
    return JSON.stringify(all[name]) === JSON.stringify(schema) ? Type.Unsafe({ $ref: `#/definitions/${name}` }) : schema;
  };
  return {
    all,
    refer,
    referEach: (schemas) => Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, refer(name, schema)])),
  };
};
