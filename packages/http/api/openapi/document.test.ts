import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fullPath, methodScopes, paths } from '../endpoints.ts';
import { oauthPaths } from '../oauth-endpoints.ts';
import { parsePinpoint } from '../schemas/pinpoint.ts';
import { openApiDocument, openApiRoute } from './document.ts';

type Content = { readonly [mediaType: string]: { readonly schema: object; readonly example?: unknown } };
type Described = { readonly $ref?: string; readonly headers?: object; readonly content?: Content };
type Operation = {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly [status: string]: Described };
};
type Document = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly [kind: string]: { readonly [name: string]: Described } };
};

const options = { base: 'https://maps.example', release: '1.2.3' };
const document = JSON.parse(JSON.stringify(openApiDocument(options))) as Document;

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    method === 'parameters' ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation }],
  ),
);

const operationNamed = (name: string): Operation => {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`${name} is not described.`);
  return found.operation;
};

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'components']);
ajv.addSchema(document, 'document');

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

const validatorAt = (...place: readonly string[]) => {
  const validate = ajv.getSchema(`document#/${place.map(escaped).map(encodeURIComponent).join('/')}`);
  if (validate === undefined) throw new Error(`There is no schema at ${place.join(' ')}.`);
  return validate;
};

const schemaNamed = (name: string) => validatorAt('components', 'schemas', name);

/** Returns the target of every reference in a part of the document. */
const references = (part: unknown): readonly string[] =>
  typeof part !== 'object' || part === null
    ? []
    : Object.entries(part).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : references(value)));

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has every endpoint of the table and every token endpoint, and no other', () => {
    const ofTable = paths.flatMap((path) =>
      Object.keys(methodScopes(path)).map((method) => `${method} ${fullPath(path).replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    const { metadata, ...forClients } = oauthPaths;
    const ofTokens = [...Object.values(forClients).map((path) => `POST ${path}`), `GET ${metadata}`];
    expect(operations.map(({ name }) => name).sort()).toEqual([...ofTable, ...ofTokens].sort());
  });

  it('requires the scopes that the table requires', () => {
    expect(operationNamed('GET /v3.0/lists').security).toEqual([{ bearer: ['read'] }]);
    expect(operationNamed('DELETE /v3.0/lists/{id}/pinpoints').security).toEqual([{ bearer: ['write'] }]);
    expect(operationNamed('POST /audit/v1/changesets').security).toEqual([{ bearer: ['audit', 'write'] }]);
    expect(operationNamed('POST /v3.0/oauth2/token').security).toEqual([{ client: [] }, {}]);
    expect(operationNamed('GET /.well-known/oauth-authorization-server').security).toEqual([]);
  });

  it('is the same each time it is generated', () => {
    expect(JSON.stringify(openApiDocument(options))).toBe(JSON.stringify(openApiDocument(options)));
    expect(JSON.parse(JSON.stringify(openApiDocument(options)))).toEqual(openApiDocument(options));
  });

  it('refers to all of its components, and to nothing else', () => {
    const used = new Set(references(document));
    const there = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `#/components/${kind}/${name}`));
    expect([...used].sort()).toEqual(there.sort());
  });

  it('gives each operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(Object.keys(document.components['schemas'] ?? {}))('has a schema that compiles: %s', (name) => {
    expect(schemaNamed(name)).toBeInstanceOf(Function);
  });

  it('contains no custom keyword', () => {
    expect(JSON.stringify(document.components['schemas'])).not.toMatch(/"(text|inOrder)":|"instant"/);
  });

  it('describes the format of a timestamp', () => {
    expect(document.components['schemas']?.['DateRange']).toMatchObject({
      properties: { start: { format: 'date-time', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' } },
    });
  });

  it('refers to a nullable file by the name of its schema', () => {
    expect(document.components['schemas']?.['PinpointBody']).toMatchObject({
      properties: { media_file: { anyOf: [{ $ref: '#/components/schemas/FileObject' }, { type: 'null' }] } },
    });
  });
});

describe('the examples of the OpenAPI document', () => {
  const withExamples = operations.flatMap(({ name, operation }) => {
    const [method = '', path = ''] = name.split(' ');
    const at = ['paths', path, method.toLowerCase()];
    const contents = [
      ...Object.entries(operation.requestBody?.content ?? {}).map(([type, content]) => ({
        place: [...at, 'requestBody', 'content', type],
        content,
      })),
      ...Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, one]) => ({ place: [...at, 'responses', status, 'content', type], content: one })),
      ),
    ];
    return contents.filter(({ content }) => content.example !== undefined).map((it) => ({ name: it.place.join(' '), ...it }));
  });

  it('are more than 30', () => expect(withExamples.length).toBeGreaterThan(30));

  it.each(withExamples)('match their schemas: $name', ({ place, content }) => {
    const validate = validatorAt(...place, 'schema');
    expect([validate(content.example), validate.errors]).toEqual([true, null]);
  });

  it('are accepted by the parser of requests', () => {
    const body = operationNamed('POST /v3.0/pinpoints').requestBody?.content['application/json']?.example;
    expect(parsePinpoint(structuredClone(body))).toEqual({ valid: body, errors: {} });
  });

  it.each(Object.entries(document.components['responses'] ?? {}))('of problems match their schemas: %s', (name, { content }) => {
    const validate = validatorAt('components', 'responses', name, 'content', 'application/json', 'schema');
    expect([validate(content?.['application/json']?.example), validate.errors]).toEqual([true, null]);
  });
});

describe('the responses in the OpenAPI document', () => {
  const statuses = (name: string): string => Object.keys(operationNamed(name).responses).join(' ');

  it.each([
    ['GET /v3.0/pinpoints', '200 400 401 403 404 405 429 500 503'],
    ['POST /v3.0/pinpoints', '201 400 401 403 405 409 413 415 422 429 500 503'],
    ['GET /v3.0/pinpoints/{id}', '200 304 400 401 403 404 405 429 500 503'],
    ['PUT /v3.0/pinpoints/{id}', '200 400 401 403 404 405 412 413 415 429 500 503'],
    ['DELETE /v3.0/pinpoints/{id}', '204 400 401 403 404 405 412 429 500 503'],
    ['POST /v3.0/lists/{id}/pinpoints', '200 400 401 403 404 405 409 413 415 422 429 500 503'],
    ['DELETE /v3.0/lists/{id}/pinpoints', '200 204 400 401 403 404 405 412 413 415 429 500 503'],
    ['POST /audit/v1/changesets', '201 400 401 403 405 409 413 415 422 429 500 503'],
    ['POST /v3.0/oauth2/token', '200 400 401 405 413 415 429 500 503'],
    ['GET /.well-known/oauth-authorization-server', '200 400 405 500'],
  ])('%s: %s', (name, expected) => {
    expect(statuses(name)).toBe(expected);
  });

  const bodies: readonly [schema: string, body: unknown, good: boolean][] = [
    ['FieldErrors', { name: ['This field is required.'] }, true],
    ['FieldErrors', { dates: [{}, { start: ['x'] }], media_file: { content: ['y'] }, tags: { 1: ['z'] } }, true],
    ['FieldErrors', { detail: 'Not found.' }, false],
    ['Detail', { detail: 'Not found.' }, true],
    ['Detail', {}, false],
    ['OAuthError', { error: 'invalid_scope' }, true],
    ['OAuthError', { error: 'something' }, false],
    ['PinpointBody', { name: 'x', latitude: 91, longitude: 0 }, false],
    ['PinpointBody', { name: 'x', latitude: 90, longitude: 0, altitude: null, media_file: null }, true],
    ['PinpointBody', { name: 'x', latitude: 90, longitude: 0, media_file: {} }, false],
    ['EventBody', { name: 'x', pinpoint: 1, dates: [] }, false],
    ['EventBody', { name: 'x', pinpoint: 1, dates: [{ start: '2026-01-01', end: '2026-01-02' }] }, false],
    ['ChangesetBody', { comment: '' }, false],
    ['ChangesetBody', { comment: 'x', by: null }, true],
    ['MembershipBody', [{ id: 1 }], true],
    ['MembershipBody', [{ id: 0 }], false],
  ];

  it.each(bodies)('%s: %j is %s', (schema, body, good) => {
    expect(schemaNamed(schema)(body)).toBe(good);
  });
});

describe('GET /openapi.json', () => {
  const call = {} as Parameters<ReturnType<typeof openApiRoute>['handle']>[0];

  it('answers with the document, which may be cached for 300 s', async () => {
    const route = openApiRoute(options);
    const answer = await route.handle(call);
    expect({ path: route.path, method: route.method, status: answer.status }).toEqual({
      path: '/openapi.json',
      method: 'GET',
      status: 200,
    });
    expect(answer.headers).toMatchObject({ 'Cache-Control': 'public, max-age=300' });
    expect(JSON.parse(String(answer.body))).toEqual(document);
  });

  it('serializes the document once', async () => {
    const stringify = jest.spyOn(JSON, 'stringify');
    const route = openApiRoute(options);
    expect(stringify).not.toHaveBeenCalled();
    await route.handle(call);
    await route.handle(call);
    expect(stringify).toHaveBeenCalledTimes(1);
    stringify.mockRestore();
  });
});
