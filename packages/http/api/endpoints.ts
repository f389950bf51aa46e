import type { Scope } from '@waymark/domain/application/events.ts';

/** The paths of `/v3.0` that need a bearer token, their methods, and the scope or the scopes that each method needs. */
export const contentEndpoints = {
  '/pinpoints/:id': { GET: 'read', PUT: 'write', DELETE: 'write' },
  '/pinpoints': { GET: 'read', POST: 'write' },
  '/lists/:id': { GET: 'read', PUT: 'write', DELETE: 'write' },
  '/lists': { GET: 'read', POST: 'write' },
  '/lists/:id/pinpoints': { POST: 'write', DELETE: 'write' },
  '/categories/:id': { GET: 'read', PUT: 'write' },
  '/categories': { GET: 'read', POST: 'write' },
  '/events/:id': { GET: 'read', PUT: 'write', DELETE: 'write' },
  '/events': { GET: 'read', POST: 'write' },
} as const satisfies Endpoints;

/** The paths of the history and of what writers say about their changes, in full. */
export const auditEndpoints = {
  '/audit/v1/:kind/:id/history': { GET: 'audit' },
  '/audit/v1/:kind/:id/versions/:revision': { GET: 'audit' },
  '/audit/v1/:kind/:id/diff': { GET: 'audit' },
  '/audit/v1/:kind/:id/blame': { GET: 'audit' },
  '/audit/v1/:kind/:id/export': { GET: 'audit' },
  '/audit/v1/export': { GET: 'audit' },
  '/audit/v1/checkpoints/latest': { GET: 'audit' },
  '/audit/v1/proofs/inclusion': { GET: 'audit' },
  '/audit/v1/proofs/consistency': { GET: 'audit' },
  '/audit/v1/activity/stream': { GET: 'audit' },
  '/audit/v1/activity': { GET: 'audit' },
  '/audit/v1/refusals': { GET: 'audit' },
  '/audit/v1/changes': { GET: 'audit' },
  '/audit/v1/as-of/:moment/pinpoints/:id': { GET: 'audit' },
  '/audit/v1/as-of/:moment/pinpoints': { GET: 'audit' },
  '/audit/v1/as-of/:moment/lists/:id': { GET: 'audit' },
  '/audit/v1/as-of/:moment/lists': { GET: 'audit' },
  '/audit/v1/as-of/:moment/categories/:id': { GET: 'audit' },
  '/audit/v1/as-of/:moment/categories': { GET: 'audit' },
  '/audit/v1/as-of/:moment/events/:id': { GET: 'audit' },
  '/audit/v1/as-of/:moment/events': { GET: 'audit' },
  '/audit/v1/:kind/:id/restore': { POST: ['audit', 'write'] },
  '/audit/v1/:kind/:id/undo': { POST: ['audit', 'write'] },
  '/audit/v1/undos/:id': { GET: ['audit', 'write'] },
  '/audit/v1/undos': { POST: ['audit', 'write'] },
  '/audit/v1/changesets': { POST: ['audit', 'write'] },
} as const satisfies Endpoints;

/** All paths that need a bearer token. */
const endpoints = { ...contentEndpoints, ...auditEndpoints };

type Endpoints = Readonly<Record<string, Readonly<Partial<Record<Method, Scope | readonly Scope[]>>>>>;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Path = keyof typeof endpoints;
export type Endpoint = { [P in Path]: `${keyof (typeof endpoints)[P] & string} ${P}` }[Path];

export const paths = Object.keys(endpoints) as Path[];

/** Returns a path in full. */
export const fullPath = (path: Path): string => (Object.hasOwn(contentEndpoints, path) ? `/v3.0${path}` : path);

type MethodScopes = Readonly<Partial<Record<string, readonly Scope[]>>>;

const scopesOfPaths = new Map<Path, MethodScopes>(
  paths.map((path) => [path, Object.fromEntries(Object.entries(endpoints[path]).map(([method, needed]) => [method, [needed].flat()]))]),
);

/** Returns the scopes that each method of a path needs. */
export const methodScopes = (path: Path): MethodScopes => scopesOfPaths.get(path) ?? {};

/** Returns all scopes that a method needs on a path, or undefined if the path does not have the method. HEAD is GET without a body. */
export const scopesOf = (path: Path, method: string): readonly Scope[] | undefined =>
  methodScopes(path)[method === 'HEAD' ? 'GET' : method];

/** Returns the value of the `Allow` header for a path. */
export const allowed = (path: Path): string =>
  Object.keys(methodScopes(path))
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ');

/** A path that a URL names, and its parameters. */
export type PlainPath = { readonly path: Path; readonly parameters: { readonly id: string } };

/** Returns the path of `/v3.0` that a URL in its plain form names, and its id. Express matches all other URLs: it takes longer, but knows every
 * form of a URL. */
export const plainPath = (url: string): PlainPath | undefined => {
  const [, collection, id = '', members = ''] = plainUrl.exec(url) ?? [];
  const path = `${collection}${id === '' ? '' : '/:id'}${members}`;
  return Object.hasOwn(contentEndpoints, path) ? { path: path as Path, parameters: { id } } : undefined;
};

const plainUrl = /^\/v3\.0(\/[a-z]+)(?:\/(\d+)(\/[a-z]+)?)?(?:\?|$)/;
