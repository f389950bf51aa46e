import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** Returns the schema with null as a further value. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema['type'], 'null'] });

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema));

export const Name = Type.String({ text: 'trimmed', minLength: 1, maxLength: 255, description: 'Trimmed, 1 to 255 characters' });
const Tag = Type.String({ text: 'trimmed', minLength: 1, maxLength: 100 });

export const descriptionCharactersMax = 100_000;
export const Description = optional(
  Type.String({ text: 'kept', maxLength: descriptionCharactersMax, description: 'HTML; what is not harmless is dropped' }),
);
export const ShortText = optional(Type.String({ text: 'kept', maxLength: 1_000 }));
export const Tags = optional(Type.Array(Tag, { maxItems: 100, description: 'Repeated tags are kept once' }));

export const FileObject = Type.Object(
  {
    content: Type.String({ description: 'Standard base64, padded; at most 5 MiB decoded', contentEncoding: 'base64' }),
    name: Type.String({ text: 'kept', maxLength: 255, description: '<file_name>.<extension>' }),
    type: Type.String({ description: 'image/png, image/jpeg, image/gif, image/webp or image/avif' }),
  },
  { description: 'A file to store' },
);
export type FileObject = Static<typeof FileObject>;
export const OptionalFile = optional(FileObject);

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const FileUrl = Type.String({ format: 'uri', description: 'Public and immutable' });

export const Instant = Type.String({ format: 'instant', description: 'YYYY-MM-DDThh:mm:ss.sssZ' });
