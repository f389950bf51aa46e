import type { Scope } from '@waymark/domain/application/events.ts';

/** The paths of `/v3.0` that need a bearer token, their methods, and the scope that each method needs. */
export const endpoints = {
  '/pinpoints/:id': { GET: 'read', PUT: 'write', DELETE: 'write' },
  '/pinpoints': { GET: 'read', POST: 'write' },
  '/lists/:id': { GET: 'read', PUT: 'write', DELETE: 'write' },
  '/lists': { GET: 'read', POST: 'write' },
  '/lists/:id/pinpoints': { POST: 'write', DELETE: 'write' },
  '/categories/:id': { GET: 'read', PUT: 'write' },
  '/categories': { GET: 'read', POST: 'write' },
  '/events/:id': { GET: 'read', PUT: 'write', DELETE: 'write' },
  '/events': { GET: 'read', POST: 'write' },
} as const satisfies Record<string, Readonly<Partial<Record<Method, Scope>>>>;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Path = keyof typeof endpoints;
export type Endpoint = { [P in Path]: `${keyof (typeof endpoints)[P] & string} ${P}` }[Path];

export const paths = Object.keys(endpoints) as Path[];

/** Returns the scope that a method needs on a path, or undefined if the path does not have the method. HEAD is GET without a body. */
export const scopeOf = (path: Path, method: string): Scope | undefined =>
  (endpoints[path] as Partial<Record<string, Scope>>)[method === 'HEAD' ? 'GET' : method];

/** Returns the value of the `Allow` header for a path. */
export const allowed = (path: Path): string =>
  Object.keys(endpoints[path])
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ');

/** Returns the path that a URL in its plain form names, and its id. Express matches all other URLs: it takes longer, but knows every form of
 * a URL. */
export const plainPath = (url: string): { readonly path: Path; readonly id: string } | undefined => {
  const [, collection, id = '', members = ''] = plainUrl.exec(url) ?? [];
  const path = `${collection}${id === '' ? '' : '/:id'}${members}`;
  return Object.hasOwn(endpoints, path) ? { path: path as Path, id } : undefined;
};

const plainUrl = /^\/v3\.0(\/[a-z]+)(?:\/(\d+)(\/[a-z]+)?)?(?:\?|$)/;
