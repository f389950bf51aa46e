import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Call } from './client.ts';

type Content = { readonly [mediaType: string]: { readonly schema?: object } };
type Described = { readonly $ref?: string; readonly content?: Content };
type Operation = { readonly responses: { readonly [status: string]: Described } };
export type OpenApi = {
  readonly openapi: string;
  readonly paths: { readonly [template: string]: { readonly [method: string]: Operation } };
  readonly components?: { readonly responses?: { readonly [name: string]: Described } };
};

/** Throws where a response differs from what the document describes. */
export type ResponseCheck = (call: Call, answer: Answer) => void;

/** Reports whether a response is missing in the document on purpose: OPTIONS and 405 for any path, and the refusal of an operation that
 * does not exist. */
const isUndocumentedOnPurpose = (call: Call, answer: Answer, isListed: boolean): boolean =>
  call.method === 'OPTIONS' || answer.status === 405 || (!isListed && (answer.status === 401 || answer.status === 404));

/** Checks every response under `/v3.0` against the OpenAPI document: path, method, status, content type, body. */
export const createResponseCheck = (document: OpenApi): ResponseCheck => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(document), 'openapi');
  const templates = Object.keys(document.paths).map((template) => ({ template, matches: toPattern(template) }));

  return (call, answer) => {
    const path = new URL(call.path, 'http://here').pathname.replace(/\/$/, '');
    if (!path.startsWith('/v3.0/')) return;
    const template = templates.find(({ matches }) => matches.test(path))?.template;
    const isListed = document.paths[template ?? '']?.[methodOf(call)] !== undefined;
    if (isUndocumentedOnPurpose(call, answer, isListed)) return;
    const fault = template === undefined ? 'has no such path' : faultOf(document, ajv, template, call, answer);
    if (fault === undefined) return;
    throw new Error(`/openapi.json ${fault}: ${call.method} ${call.path} answered ${answer.status} ${answer.text.slice(0, 500)}`);
  };
};

/** Returns the document with closed objects. The document leaves objects open, because fields may be added later. But a response must not
 * contain a field today that the document does not describe. */
const closed = (document: OpenApi): object =>
  JSON.parse(JSON.stringify(document), (_, part) =>
    part?.type === 'object' && part.properties !== undefined ? { additionalProperties: false, ...part } : part,
  );

const faultOf = (document: OpenApi, ajv: Ajv2020, template: string, call: Call, answer: Answer): string | undefined => {
  const method = methodOf(call);
  const described = document.paths[template]?.[method]?.responses[answer.status];
  if (described === undefined) return `does not list status ${answer.status} of ${method} ${template}`;
  if (call.method === 'HEAD') return undefined;
  const place = described.$ref?.slice(1) ?? `/paths/${escaped(template)}/${method}/responses/${answer.status}`;
  const { content } = described.$ref === undefined ? described : (document.components?.responses?.[lastOf(place)] ?? {});
  return content === undefined ? faultOfEmpty(answer) : faultOfBody(ajv, `${place}/content`, content, answer);
};

const faultOfEmpty = (answer: Answer): string | undefined => (answer.text === '' ? undefined : 'describes no body for this answer');

const faultOfBody = (ajv: Ajv2020, place: string, content: Content, answer: Answer): string | undefined => {
  const type = (answer.headers['content-type'] ?? 'none').split(';', 1)[0] ?? '';
  if (content[type] === undefined) return `does not list the content type ${type}`;
  if (content[type].schema === undefined) return `gives no schema for the body`;
  const validate: ValidateFunction | undefined = ajv.getSchema(`openapi#${encodeURI(`${place}/${escaped(type)}/schema`)}`);
  if (validate === undefined) return `has no schema at ${place}`;
  return validate(answer.body) ? undefined : `says otherwise (${ajv.errorsText(validate.errors)})`;
};

/** Returns the method that describes a call. A HEAD request is answered like GET, so GET describes it. */
const methodOf = ({ method }: Call): string => (method === 'HEAD' ? 'get' : method.toLowerCase());

const toPattern = (template: string): RegExp => new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
const escaped = (segment: string): string => segment.replaceAll('~', '~0').replaceAll('/', '~1');
const lastOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);
