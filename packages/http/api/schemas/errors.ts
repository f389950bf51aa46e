import { Type } from '@sinclair/typebox';

export const Detail = Type.Object({ detail: Type.String() });

/** The object was deleted, by an event of its history. */
export const DeletedDetail = Type.Object({
  detail: Type.String(),
  deleted: Type.Object({ id: Type.String(), revision: Type.Integer({ minimum: 0 }), time: Type.String({ format: 'date-time' }) }),
});

const Messages = Type.Array(Type.String());

/** A reference by name, because nested errors may be nested again. */
const Nested = Type.Unsafe<unknown>({ $ref: '#/components/schemas/FieldErrors' });

export const FieldErrors = Type.Object(
  {},
  {
    additionalProperties: Type.Union([Messages, Nested, Type.Array(Nested)]),
    description: 'Messages by field, nested as the input is; what concerns several fields stands under non_field_errors',
  },
);
