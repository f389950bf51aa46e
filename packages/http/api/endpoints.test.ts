import { allowed, auditEndpoints, contentEndpoints, type Endpoint, methodScopes, paths, plainPath, scopesOf } from './endpoints.ts';

describe('the table of endpoints', () => {
  it('lists a path with an id before the same path without one', () => {
    for (const path of paths.filter((it) => it.endsWith('/:id'))) {
      expect(paths.indexOf(path)).toBeLessThan(paths.indexOf(path.replace('/:id', '') as (typeof paths)[number]));
    }
  });

  it('requires read for GET of content, and write for every other method', () => {
    for (const path of Object.keys(contentEndpoints) as (keyof typeof contentEndpoints)[]) {
      for (const [method, scopes] of Object.entries(methodScopes(path))) expect(scopes).toEqual([method === 'GET' ? 'read' : 'write']);
    }
  });

  it('requires audit for GET of the history, and audit and write for undo jobs and for every other method', () => {
    for (const path of Object.keys(auditEndpoints) as (keyof typeof auditEndpoints)[]) {
      for (const [method, scopes] of Object.entries(methodScopes(path))) {
        expect(scopes).toEqual(method === 'GET' && !path.includes('/undos') ? ['audit'] : ['audit', 'write']);
      }
    }
  });

  it.each(['PATCH', 'TRACE', 'QUERY', 'OPTIONS', 'get', ''])('has no scope for %s', (method) => {
    for (const path of paths) expect(scopesOf(path, method)).toBeUndefined();
  });

  it('answers HEAD where it answers GET', () => {
    expect(scopesOf('/lists/:id', 'HEAD')).toEqual(['read']);
    expect(scopesOf('/lists/:id/pinpoints', 'HEAD')).toBeUndefined();
  });

  it.each([
    ['/lists', 'GET, HEAD, POST, OPTIONS'],
    ['/categories/:id', 'GET, HEAD, PUT, OPTIONS'],
    ['/lists/:id/pinpoints', 'POST, DELETE, OPTIONS'],
    ['/audit/v1/changesets', 'POST, OPTIONS'],
  ] as const)('%s allows %s', (path, methods) => {
    expect(allowed(path)).toBe(methods);
  });

  it('names an endpoint by method and path', () => {
    const endpoint: Endpoint = 'DELETE /lists/:id/pinpoints';
    expect(endpoint).toBe('DELETE /lists/:id/pinpoints');
  });

  it('finds each path of content in a plain URL, with its id', () => {
    for (const path of Object.keys(contentEndpoints)) {
      const found = { path, parameters: { id: path.includes(':id') ? '12' : '' } };
      expect(plainPath(`/v3.0${path.replace(':id', '12')}`)).toEqual(found);
      expect(plainPath(`/v3.0${path.replace(':id', '12')}?list=/v3.0/lists/7`)).toEqual(found);
    }
  });

  it.each([
    '/v3.0/pinpoints/',
    '/v3.0/pinpoints/12/',
    '/v3.0//pinpoints',
    '/v3.0/pinpoints/1%32',
    '/v3.0/pinpoints/twelve',
    '/v3.0/pinpoints/12/pinpoints',
    '/v3.0/lists/12/events',
    '/v3.0/constructor',
    '/V3.0/pinpoints',
    '/v3.0/pinpoints#12',
    'http://127.0.0.1/v3.0/pinpoints',
    '',
  ])('leaves %s to the router', (url) => {
    expect(plainPath(url)).toBeUndefined();
  });
});
