import { allowed, type Endpoint, endpoints, paths, scopeOf } from './endpoints.ts';

describe('the table of endpoints', () => {
  it('lists a path with an id before the same path without one', () => {
    for (const path of paths.filter((it) => it.endsWith('/:id'))) {
      expect(paths.indexOf(path)).toBeLessThan(paths.indexOf(path.replace('/:id', '') as (typeof paths)[number]));
    }
  });

  it('requires read for GET, and write for every other method', () => {
    for (const path of paths) {
      for (const [method, scope] of Object.entries(endpoints[path])) expect(scope).toBe(method === 'GET' ? 'read' : 'write');
    }
  });

  it.each(['PATCH', 'TRACE', 'QUERY', 'OPTIONS', 'get', ''])('has no scope for %s', (method) => {
    for (const path of paths) expect(scopeOf(path, method)).toBeUndefined();
  });

  it('answers HEAD where it answers GET', () => {
    expect(scopeOf('/lists/:id', 'HEAD')).toBe('read');
    expect(scopeOf('/lists/:id/pinpoints', 'HEAD')).toBeUndefined();
  });

  it.each([
    ['/lists', 'GET, HEAD, POST, OPTIONS'],
    ['/categories/:id', 'GET, HEAD, PUT, OPTIONS'],
    ['/lists/:id/pinpoints', 'POST, DELETE, OPTIONS'],
  ] as const)('%s allows %s', (path, methods) => {
    expect(allowed(path)).toBe(methods);
  });

  it('names an endpoint by method and path', () => {
    const endpoint: Endpoint = 'DELETE /lists/:id/pinpoints';
    expect(endpoint).toBe('DELETE /lists/:id/pinpoints');
  });
});
