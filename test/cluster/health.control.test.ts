import { control } from '@waymark/test-engines/control.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { operatorPortOf } from './setup/processes.ts';
import { until } from './setup/until.ts';
import { useCluster } from './setup/use-cluster.ts';

const hangsMs = 300_000;
const statusToken = 's'.repeat(32);
const services = ['commands', 'relay', 'projector', 'query-gateway', 'notary', 'auditor', 'auth', 'operator'] as const;
/** The notary is always ready: it reports an outage as a warning. */
const needingEngines = services.filter((name) => name !== 'notary');

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'The operator ports of a cluster', () => {
  const cluster = useCluster(() => ({ WAYMARK_STATUS_TOKEN: statusToken }));
  const ports = new Map<string, string>();
  beforeAll(async () => {
    for (const name of services) ports.set(name, await operatorPortOf(cluster(), name));
  }, hangsMs);
  afterAll(async () => {
    for (const engine of ['eventstore', 'mongodb'] as const) await control('start', engine);
  }, hangsMs);

  const statusOf = async (name: string, path: string, { token = '', method = 'GET' } = {}): Promise<number> => {
    const headers = { Connection: 'close', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) };
    return (await fetch(`${ports.get(name)}${path}`, { method, headers })).status;
  };
  const statusesOf = (names: readonly string[], path: string): Promise<readonly number[]> =>
    Promise.all(names.map((name) => statusOf(name, path)));

  it('open their figures to the status token, and nothing else', async () => {
    for (const name of services) {
      expect([name, await statusOf(name, '/operator/figures', { token: statusToken })]).toEqual([name, 200]);
      expect([name, await statusOf(name, '/operator/figures')]).toEqual([name, 401]);
    }
    const operations = [
      ['GET', '/operator/status'],
      ['POST', '/operator/forget'],
      ['POST', '/operator/rebuild'],
      ['POST', '/operator/applications'],
    ] as const;
    for (const [method, path] of operations) {
      expect([path, await statusOf('operator', path, { token: statusToken, method })]).toEqual([path, 401]);
    }
    expect(await statusOf('operator', '/operator/status', { token: cluster().operatorToken })).toBe(200);
  });

  it(
    'report on /readyz that engines are unavailable, and keep every process in its load balancer and alive',
    async () => {
      expect(await statusesOf(services, '/servez')).toEqual(services.map(() => 200));
      await control('kill', 'mongodb');
      await control('kill', 'eventstore');
      await until('nothing is ready', hangsMs, async () => (await statusesOf(needingEngines, '/readyz')).every((status) => status === 503));
      expect(await statusesOf(services, '/servez')).toEqual(services.map(() => 200));
      expect(await statusesOf(services, '/livez')).toEqual(services.map(() => 200));
      await control('start', 'eventstore');
      await control('start', 'mongodb');
      await until('everything is ready', hangsMs, cluster().ready);
      expect(await statusesOf(services, '/readyz')).toEqual(services.map(() => 200));
    },
    hangsMs,
  );
});
