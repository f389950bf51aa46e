import { pino } from 'pino';
import { createOpenApp } from '../app.ts';
import { createBudgets } from '../request/budgets.ts';
import { useTestServers } from '../testing/serving.ts';
import { createEdgeCheck, edgeKeyHeader } from './edge-key.ts';

const [newKey, oldKey] = ['n'.repeat(32), 'o'.repeat(32)];
const isFromEdge = createEdgeCheck([newKey, oldKey]);

describe('The key of an edge', () => {
  const { served } = useTestServers();

  it.each([newKey, oldKey])('is each of those that are set: %s', (key) => {
    expect(isFromEdge({ headers: { [edgeKeyHeader]: key } })).toBe(true);
  });

  it.each([undefined, '', 'n', newKey.slice(1), `${newKey}n`, `${newKey}, ${newKey}`, `${newKey},${oldKey}`, 'ñ'.repeat(16), [newKey]])(
    'is no other text: %j',
    (key) => {
      expect(isFromEdge({ headers: { [edgeKeyHeader]: key } })).toBe(false);
    },
  );

  it.each(['', newKey])('is nothing if none is set: %j', (key) => {
    expect(createEdgeCheck([])({ headers: { [edgeKeyHeader]: key } })).toBe(false);
  });

  it('is never logged, whatever the response', async () => {
    const lines: string[] = [];
    const lifecycle = {
      corsOrigins: new Set<string>(),
      observe: () => undefined,
      logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
      closing: () => false,
      budgets: createBudgets(0),
    };
    const failing = async (): Promise<never> => {
      throw new Error('a bug');
    };
    const { url } = await served(
      createOpenApp(lifecycle, [
        { method: 'GET', path: '/fails', handle: failing },
        { method: 'GET', path: '/', handle: async () => ({ status: 200, body: '{}' }) },
      ]),
    );
    const statuses: number[] = [];
    for (const path of ['/', '/nothing', '/fails']) {
      statuses.push((await fetch(`${url}${path}`, { headers: { [edgeKeyHeader]: newKey } })).status);
    }
    expect(statuses).toEqual([200, 404, 500]);
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.join()).not.toContain(newKey);
  });
});
