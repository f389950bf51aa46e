import type { ExampleName } from './examples.ts';
import type { HeaderName } from './headers.ts';
import type { ParameterName } from './parameters.ts';
import type { ProblemName } from './responses.ts';
import type { SchemaName } from './schemas.ts';

/** A successful response, or 304. */
export type Success = {
  readonly description: string;
  readonly schema?: SchemaName;
  /** The media type of the body; by default, JSON. */
  readonly mediaType?: 'text/event-stream' | 'application/x-ndjson';
  readonly headers?: readonly HeaderName[];
};

/** The description of an endpoint: what the table of endpoints does not contain. */
export type Described = {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterName[];
  readonly body?: SchemaName;
  readonly successes: { readonly [status: number]: Success };
  readonly problems: readonly ProblemName[];
  /** Examples of the body and of the response, where there are any. */
  readonly examples?: { readonly body?: ExampleName; readonly answer?: ExampleName };
};

/** A kind of object, with the names that its operations use. */
export type Kind = { readonly tag: string; readonly one: 'Pinpoint' | 'List' | 'Category' | 'Event'; readonly many: string };

export const Pinpoints: Kind = { tag: 'Pinpoints', one: 'Pinpoint', many: 'Pinpoints' };
export const Lists: Kind = { tag: 'Lists', one: 'List', many: 'Lists' };
export const Categories: Kind = { tag: 'Categories', one: 'Category', many: 'Categories' };
export const Events: Kind = { tag: 'Events', one: 'Event', many: 'Events' };

/** Problems that every operation can return. */
export const always = [
  'BadRequest',
  'NotAuthenticated',
  'Forbidden',
  'MethodNotAllowed',
  'Throttled',
  'InternalError',
  'Unavailable',
] as const;
export const body = ['TooLarge', 'UnsupportedMediaType'] as const;
export const repeatable = ['StillRunning', 'KeyReused'] as const;

/** Returns the name of a kind with its article. */
export const noun = ({ one }: Kind): string => (/^[AEIOU]/.test(one) ? `an ${one.toLowerCase()}` : `a ${one.toLowerCase()}`);
