import { type Scope, scopes } from '@waymark/domain/application/events.ts';
import type { OpenRoute } from '../../app.ts';
import { oauthPaths } from '../oauth-endpoints.ts';
import { examplesFor } from './examples.ts';
import { headers } from './headers.ts';
import { parameters } from './parameters.ts';
import { pathItems } from './paths.ts';
import { problemResponses } from './responses.ts';
import { type Json, schemas } from './schemas.ts';

export type OpenApiOptions = {
  /** Public base URL, without a trailing slash. */
  readonly base: string;
  /** The release that the document describes. */
  readonly release: string;
};

/** Returns the OpenAPI 3.1 document of the whole client API, built from the validation schemas and the table of endpoints. */
export const openApiDocument = ({ base, release }: OpenApiOptions): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Waymark',
    version: release,
    summary: 'Content for maps: pinpoints, lists, categories and events',
    description: 'A trailing slash is accepted on every path. Fields that are not described here are ignored in requests.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: base }],
  tags,
  paths: pathItems(examplesFor(base)),
  components: {
    schemas: schemas(),
    responses: Object.fromEntries(Object.entries(problemResponses).map(([name, { response }]) => [name, response])),
    parameters,
    headers,
    securitySchemes: securitySchemes(base),
  },
});

const tags = [
  { name: 'Pinpoints', description: 'Points of interest.' },
  { name: 'Lists', description: 'Collections of pinpoints.' },
  { name: 'Categories', description: 'Images that pinpoints share as their icon.' },
  { name: 'Events', description: 'What happens at a pinpoint, and when.' },
  { name: 'History', description: 'What happened to each object, and who did it.' },
  { name: 'Proof', description: 'Evidence of what happened that others can verify offline.' },
  { name: 'Tokens', description: 'Bearer tokens for applications.' },
];

const scopeTexts: Readonly<Record<Scope, string>> = {
  write: 'Create, update and delete',
  read: 'Read',
  audit: 'Read histories; with write, open changesets',
};

const securitySchemes = (base: string): Json => ({
  bearer: {
    type: 'oauth2',
    flows: {
      clientCredentials: {
        tokenUrl: `${base}${oauthPaths.token}`,
        scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeTexts[scope]])),
      },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'Client id and client secret' },
});

/** Serves GET /openapi.json. The text is built at the first request and then kept. */
export const openApiRoute = (options: OpenApiOptions): OpenRoute => {
  let text: string | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    handle: async () => {
      text ??= JSON.stringify(openApiDocument(options));
      return { status: 200, body: text, headers: { 'Cache-Control': 'public, max-age=300' } };
    },
  };
};
