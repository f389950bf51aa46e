import type { Static, TObject, TSchema } from '@sinclair/typebox';
import { badRequest, type FieldErrors } from '@waymark/http/errors.ts';
import { createParser, requireValid } from '@waymark/http/request/validation.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Creates the parser of an operator's request. It normalises the texts of the body, and refuses the first field that is not valid, with
 * the description of its schema.
 * @throws HttpError 400 */
export const createBodyParser = <Schema extends TObject>(schema: Schema): ((body: unknown) => Static<Schema>) => {
  const parse = createParser(schema);
  return (body) => {
    const fields: Fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Fields) : {};
    const parsed = parse(fields);
    const fault = faultIn(schema, parsed.errors, fields);
    if (fault !== undefined) throw badRequest(fault);
    return requireValid(parsed);
  };
};

const faultIn = (schema: TObject, errors: FieldErrors, fields: Fields): string | undefined => {
  const wrong = firstWrong(schema, errors);
  if (wrong === undefined) return undefined;
  const { name, field } = wrong;
  const [value, itemsMax] = [fields[name], field['maxItems']];
  if (Array.isArray(value) && value.length > itemsMax) return `${name}: at most ${itemsMax}`;
  const text = descriptionOf(field, errors[name]);
  return text === undefined ? `${schema.description}` : `${name}: ${text}`;
};

/** Returns the description of the innermost wrong field whose schema has one. */
const descriptionOf = (schema: TSchema, errors: FieldErrors[string] = {}): string | undefined => {
  const wrong = firstWrong(schema, errors as FieldErrors);
  return (wrong && descriptionOf(wrong.field, (errors as FieldErrors)[wrong.name])) ?? schema.description;
};

/** Returns the first wrong field, in the order of the schema. */
const firstWrong = ({ properties = {} }: TSchema, errors: FieldErrors) => {
  const [name, field] = Object.entries<TSchema>(properties).find(([one]) => Object.hasOwn(errors, one)) ?? [];
  return name === undefined || field === undefined ? undefined : { name, field };
};
