import type { Static, TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv';
import { type FieldErrors, invalidFields } from '../errors.ts';
import { storedText, type TextRule, textFaultMessage } from './text.ts';

/** Returns a function that makes a value at the first call and then keeps it. */
const lazy = <Made>(make: () => Made): (() => Made) => {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** The valid fields of a body, and every fault of the other fields. */
export type Parsed<Body> = { readonly valid: Partial<Body>; readonly errors: FieldErrors };

/** Creates the parser of a body. It accepts the known fields, normalises their texts, and reports every fault at once.
 * @throws HttpError 400 if the body is not an object */
export const createParser = <Schema extends TObject>(schema: Schema): ((body: unknown) => Parsed<Static<Schema>>) => {
  const validator = lazy(() => ajv().compile<Static<Schema>>(schema));
  return (body) => {
    const validate = validator();
    const known = knownFields(schema, body);
    if (validate(known)) return { valid: known, errors: {} };
    const errors = fieldErrors(validate.errors ?? []);
    for (const field of Object.keys(errors)) delete known[field];
    return { valid: known, errors };
  };
};

/** Returns the whole body if neither its parser nor a further check found a fault.
 * @throws HttpError 400 */
export const requireValid = <Body>({ valid, errors }: Parsed<Body>, ...more: readonly FieldErrors[]): Body => {
  const all: FieldErrors = Object.assign({}, errors, ...more);
  if (Object.keys(all).length > 0) throw invalidFields(all);
  return valid as Body;
};

/** The format of a timestamp in requests and responses. */
export const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Returns whether a text has the form `YYYY-MM-DDTHH:mm:ss.sssZ` and names a moment that exists. Only such a text survives a conversion to
 * a Date and back. */
const isInstant = (text: unknown): text is string => {
  if (typeof text !== 'string' || !instantPattern.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
};

/** The validator. It is created with the first body, so that the start does not wait for it. The schemas are Waymark's own; a test checks
 * them against the standard. */
const ajv = lazy(() => {
  const made = new Ajv({ allErrors: true, verbose: true, strict: true, validateSchema: false, allowUnionTypes: true, ownProperties: true });
  made.addFormat('instant', isInstant);
  for (const keyword of [text, inOrder]) made.addKeyword(keyword);
  return made;
});

/** Keyword `text`: stores a text in its stored form, with its ends `trimmed` or `kept`. A text that is too long in this form may be short
 * enough as it was sent; `maxLength` alone would accept it. */
const text: FuncKeywordDefinition = {
  keyword: 'text',
  type: 'string',
  modifying: true,
  before: 'maxLength',
  schemaType: 'string',
  validate: (ends: string, value: string, schema?: object, place?: { parentData: object; parentDataProperty: string | number }) => {
    const stored = storedText(value, ruleOf(ends, schema));
    if ('fault' in stored) return false;
    if (place && stored.text !== value) Object.assign(place.parentData, { [place.parentDataProperty]: stored.text });
    return true;
  },
};

const ruleOf = (ends: string, schema: object = {}): TextRule => ({
  trimmed: ends === 'trimmed',
  charactersMax: (schema as { readonly maxLength?: number }).maxLength ?? Number.POSITIVE_INFINITY,
});

/** Keyword `inOrder` of a date range: `end` is not before `start`. Texts of one format compare like the moments. Texts of another format
 * have a fault of their own. */
const inOrder: FuncKeywordDefinition = {
  keyword: 'inOrder',
  type: 'object',
  schemaType: 'boolean',
  validate: (_: boolean, { start, end }: { start?: unknown; end?: unknown }) => !isInstant(start) || !isInstant(end) || end >= start,
};

/** Returns the known fields of a body; unknown fields are ignored. Arrays are cut one element above their limit, which is enough to refuse
 * them. */
const knownFields = (schema: TObject, body: unknown): Record<string, unknown> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidFields({ non_field_errors: [`Invalid data. Expected an object, but got ${jsonType(body)}.`] });
  }
  const known: Record<string, unknown> = {};
  for (const [name, { maxItems }] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = (body as Record<string, unknown>)[name];
    known[name] = Array.isArray(value) && maxItems !== undefined ? value.slice(0, maxItems + 1) : value;
  }
  return known;
};

export const jsonType = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const fieldErrors = (errors: readonly ErrorObject[]): FieldErrors => {
  const root: ErrorTree = { messages: [], children: new Map(), isList: false };
  for (const error of errors) note(root, error);
  return nested(root) as FieldErrors;
};

/** The faults in the order in which they are found, by their place in the body. */
type ErrorTree = { readonly messages: string[]; readonly children: Map<string, ErrorTree>; readonly isList: boolean };

const note = (root: ErrorTree, error: ErrorObject): void => {
  const place = error.instancePath.split('/').slice(1);
  if (error.keyword === 'required') place.push(String(error.params['missingProperty']));
  let node = root;
  for (const [depth, name] of place.entries()) {
    const next = node.children.get(name) ?? {
      messages: [],
      children: new Map(),
      isList: depth === 0 && name === 'dates',
    };
    node.children.set(name, next);
    node = next;
  }
  const message = messageOf(error);
  if (!node.messages.includes(message)) node.messages.push(message);
};

const nested = (node: ErrorTree): FieldErrors[string] => {
  if (node.children.size === 0) return node.messages;
  if (node.isList) return node.messages.length > 0 ? node.messages : listErrors(node);
  const errors: Record<string, FieldErrors[string]> = {};
  for (const [name, child] of node.children) errors[name] = nested(child);
  if (node.messages.length > 0) errors['non_field_errors'] = node.messages;
  return errors;
};

/** Returns the errors of a list of objects: one entry for each element up to the last faulty one, empty for an element without a fault. */
const listErrors = (node: ErrorTree): readonly FieldErrors[] => {
  const last = Math.max(...[...node.children.keys()].map(Number));
  return Array.from({ length: last + 1 }, (_, index) => {
    const child = node.children.get(String(index));
    if (!child) return {};
    return child.children.size === 0 ? { non_field_errors: child.messages } : (nested(child) as FieldErrors);
  });
};

const messageOf = (error: ErrorObject): string => {
  switch (error.keyword) {
    case 'required':
      return 'This field is required.';
    case 'type':
      return typeMessage([error.schema].flat()[0] as string, error.data);
    case 'minLength':
      return 'This field may not be blank.';
    case 'maxLength':
      return textFaultMessage('long', error.schema as number);
    case 'minimum':
      return `Ensure this value is greater than or equal to ${error.schema}.`;
    case 'maximum':
      return `Ensure this value is less than or equal to ${error.schema}.`;
    case 'minItems':
      return 'This list may not be empty.';
    case 'maxItems':
      return `Ensure this field has no more than ${error.schema} elements.`;
    case 'format':
      return 'Datetime has wrong format. Use this format: YYYY-MM-DDThh:mm:ss.sssZ.';
    case 'inOrder':
      return 'The end may not be before the start.';
    case 'text':
      return textMessage(error);
    default:
      return error.message ?? 'Invalid value.';
  }
};

const textMessage = ({ schema, parentSchema, data }: ErrorObject): string => {
  const rule = ruleOf(schema as string, parentSchema);
  const stored = storedText(data as string, rule);
  return textFaultMessage('fault' in stored ? stored.fault : 'malformed', rule.charactersMax);
};

const typeMessage = (expected: string, data: unknown): string => {
  if (data === null) return 'This field may not be null.';
  switch (expected) {
    case 'number':
      return 'A valid number is required.';
    case 'integer':
      return 'A valid integer is required.';
    case 'boolean':
      return 'Must be a valid boolean.';
    case 'string':
      return 'Not a valid string.';
    case 'array':
      return `Expected a list of items but got type "${jsonType(data)}".`;
    default:
      return `Invalid data. Expected an object, but got ${jsonType(data)}.`;
  }
};
