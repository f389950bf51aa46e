import { Type } from '@sinclair/typebox';
import { invalidFields } from '../../errors.ts';
import { membershipElementsMax } from '../../limits.ts';
import { jsonType } from '../../request/validation.ts';
import { Id } from './fields.ts';

export const Member = Type.Object({ id: Id });
export const MembershipBody = Type.Array(Member, { maxItems: membershipElementsMax });

export const MembershipError = Type.Object({
  id: Type.Unsafe<unknown>({ description: 'What was sent as id; null if nothing was' }),
  code: Type.Union([Type.Literal('invalid'), Type.Literal('not_found'), Type.Literal('limit')]),
  detail: Type.String(),
});

export const MembershipAnswer = Type.Object({
  errors: Type.Array(MembershipError, { description: 'In the order sent' }),
  total: Type.Integer({ minimum: 0, description: 'How many of the distinct valid ids are now as asked' }),
});

/** An element of the body as it was sent. `pinpoint` is undefined if the element is not an object with a positive integer id. */
export type MembershipElement = { readonly sent: unknown; readonly pinpoint: number | undefined };

/** Parses the body of a membership request.
 * @throws HttpError 400 */
export const parseMembership = (body: unknown): readonly MembershipElement[] => {
  if (!Array.isArray(body)) {
    throw invalidFields({ non_field_errors: [`Expected a list of items but got type "${jsonType(body)}".`] });
  }
  if (body.length > membershipElementsMax) {
    throw invalidFields({
      non_field_errors: [`Ensure this field has no more than ${membershipElementsMax} elements.`],
    });
  }
  return body.map(element);
};

const element = (value: unknown): MembershipElement => {
  const sent = typeof value === 'object' && value !== null && Object.hasOwn(value, 'id') ? (value as { id: unknown }).id : null;
  return { sent, pinpoint: Number.isSafeInteger(sent) && Number(sent) > 0 ? Number(sent) : undefined };
};
