import { contentEndpoints, type Endpoint, fullPath, methodScopes, type Path, paths } from '../endpoints.ts';
import type { Described, Success } from './described.ts';
import type { ExampleName } from './examples.ts';
import { headerRefs } from './headers.ts';
import { oauthOperations } from './oauth.ts';
import { operations } from './operations.ts';
import { type ParameterName, parameterRef } from './parameters.ts';
import { type Content, contentOf, formContent, jsonContent, type ProblemName, problemResponses } from './responses.ts';
import { type Json, schemaRef } from './schemas.ts';

type Examples = Readonly<Record<ExampleName, unknown>>;

/** Returns every path with its operations: first the paths of the table of endpoints, which need a bearer token, then the others. */
export const pathItems = (examples: Examples): Json => {
  const items: Record<string, Json> = {};
  for (const path of paths) items[fullPath(path).replaceAll(/:(\w+)/g, '{$1}')] = pathItem(path, examples);
  for (const described of oauthOperations) {
    const security = described.method === 'GET' ? [] : [{ client: [] }, {}];
    items[described.path] = { [described.method.toLowerCase()]: operation(described, security, examples, formContent) };
  }
  return items;
};

const pathItem = (path: Path, examples: Examples): Json => {
  const methods = Object.entries(methodScopes(path));
  const named = parametersOf(path);
  const item: Record<string, unknown> = named.length === 0 ? {} : { parameters: named.map(parameterRef) };
  for (const [method, scopes] of methods) {
    item[method.toLowerCase()] = operation(operations[`${method} ${path}` as Endpoint], [{ bearer: scopes }], examples, jsonContent);
  }
  return item;
};

/** Returns the parameters in a path. */
const parametersOf = (path: Path): readonly ParameterName[] => {
  if (!path.includes(':')) return [];
  if (Object.hasOwn(contentEndpoints, path)) return ['Id'];
  if (path.includes(':moment')) return path.includes(':id') ? ['Moment', 'Id'] : ['Moment'];
  if (path === '/audit/v1/undos/:id') return ['JobId'];
  if (/(restore|undo)$/.test(path)) return ['KindOfContent', 'Id'];
  return path.includes(':revision') ? ['Kind', 'AnyId', 'Revision'] : ['Kind', 'AnyId'];
};

const operation = (described: Described, security: readonly Json[], examples: Examples, bodyContent: Content): Json => {
  const { operationId, tag, summary, description, parameters = [], body } = described;
  const withRequestId: readonly ParameterName[] = [...parameters, 'RequestId'];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security,
    parameters: withRequestId.map(parameterRef),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: bodyContent(schemaRef(body), exampleOf(examples, described, 'body')) } }),
    responses: { ...successes(described, examples), ...problems(described.problems) },
  };
};

const exampleOf = (examples: Examples, described: Described, of: 'body' | 'answer'): unknown => {
  const name = described.examples?.[of];
  return name === undefined ? undefined : examples[name];
};

const successes = (described: Described, examples: Examples): Json =>
  Object.fromEntries(
    Object.entries<Success>(described.successes).map(([status, { description, schema, mediaType, headers = [] }]) => {
      const contentIn = mediaType === undefined ? jsonContent : contentOf(mediaType);
      const content = schema === undefined ? {} : { content: contentIn(schemaRef(schema), exampleOf(examples, described, 'answer')) };
      return [status, { description, headers: headerRefs(...headers), ...content }];
    }),
  );

const problems = (names: readonly ProblemName[]): Json =>
  Object.fromEntries(names.map((name) => [problemResponses[name].status, { $ref: `#/components/responses/${name}` }]));
