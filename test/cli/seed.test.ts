import { contentOf } from './account.ts';
import { patienceMs, useDesk } from './waymark.ts';

type Count = { readonly there: number; readonly made: number };
type Seeded = Readonly<Record<'categories' | 'pinpoints' | 'lists' | 'events', Count>>;

describe('waymark seed --demo', () => {
  const desk = useDesk();

  it(
    'creates the map only once, however often it runs',
    async () => {
      const server = await desk.serve();
      const first = await desk.json<Seeded>(['seed', '--demo']);
      expect(first.pinpoints).toEqual({ there: first.pinpoints.made, made: first.pinpoints.made });
      const second = await desk.json<Seeded>(['seed', '--demo']);
      expect(Object.values(second).flatMap(({ made }) => made ?? [])).toEqual([0, 0, 0, 0]);

      const counts = { categories: 8, lists: 10, pinpoints: 1_000, events: 50 };
      for (const [collection, least] of Object.entries(counts)) {
        const found = await contentOf(desk, server, 'demo', collection);
        expect(found.length).toBeGreaterThanOrEqual(least);
        expect(found).toHaveLength(first[collection as keyof Seeded].made);
      }
      const lists = await contentOf(desk, server, 'demo', 'lists');
      const capitals = lists.find(({ name }) => name === 'Capitals');
      expect(await contentOf(desk, server, 'demo', `pinpoints?list=${capitals?.id}`)).toHaveLength(241);
      expect((await desk.run('app', 'list')).stdout).not.toContain('waymark seed');
      await server.stop();
    },
    patienceMs,
  );

  it(
    'names the sources of the data',
    async () => {
      const { code, stdout } = await desk.run('seed', '--demo');
      expect(code).toBe(0);
      for (const source of ['airport-data-js', 'GeoNames', 'CC BY 4.0', 'Maki']) expect(stdout).toContain(source);
      expect((await desk.run('seed')).code).toBe(2);
    },
    patienceMs,
  );
});
