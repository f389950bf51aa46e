import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionsOf, connectionsTable, outside, policiesOf } from './connections.ts';
import { cluster, describeWithHelm, render, standalone } from './helm.ts';
import { chartServices } from './values/services.ts';
import { sourceOf } from './values/sources.ts';

const ports = { eventStore: 2113, kafka: 9093, mongodb: 27_017, redis: 6_379, media: 443 };
const engines = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, { to: outside(name), ports: [{ port }] }]));
const networkPolicy = { enabled: true, gateway: { from: outside('gateway') }, scraper: { from: outside('scraper') }, engines };

type Rule = Readonly<Record<string, unknown>>;

const document = join(import.meta.dirname, '../../docs/deploy.md');

const allows = (rules: readonly Rule[], what: string): boolean => JSON.stringify(rules).includes(what);
const component = (name: string): string => `"app.kubernetes.io/component":"${name}"`;

describeWithHelm('Network policies', () => {
  it('are not made by default', async () => {
    expect(policiesOf(await render(cluster))).toEqual({});
  });

  it('lead each service to the engines that its settings name, and to no other', async () => {
    const policies = policiesOf(await render({ ...cluster, networkPolicy }));
    for (const service of Object.values(chartServices)) {
      const policy = policies[service.name];
      if (policy === undefined) continue;
      const sources = Object.keys(service.schema.properties).map((name) => sourceOf(name, service));
      const read = new Set(sources.flatMap((source) => (source.from === 'engine' ? [source.engine] : [])));
      const allowed = Object.keys(engines).filter((engine) => allows(policy.egress, `"outside":"${engine}"`));
      expect(allowed.sort()).toEqual([...read].sort());
    }
  });

  it('let the edge reach services that answer the API, and the operator all', async () => {
    const policies = policiesOf(await render({ ...cluster, networkPolicy }));
    for (const [name, { ingress }] of Object.entries(policies)) {
      const answers = ['commands', 'commands-audit', 'query-gateway', 'auditor', 'auth'].includes(name);
      expect([name, allows(ingress, component('edge'))]).toEqual([name, answers]);
      expect(allows(policies['edge']?.egress ?? [], component(name))).toBe(answers);
      const isPeer = !['operator', 'edge', 'test'].includes(name);
      expect([name, allows(ingress, component('operator'))]).toEqual([name, isPeer]);
      expect(allows(policies['operator']?.egress ?? [], component(name))).toBe(isPeer);
      expect([name, allows(ingress, '"outside":"gateway"')]).toEqual([name, name === 'edge']);
    }
  });

  it('are the table of docs/deploy.md, the same from both ends (WAYMARK_WRITE=1 updates the document)', async () => {
    const checkpoints = { to: outside('checkpoints'), ports: [{ port: 443 }] };
    const values = {
      ...cluster,
      notary: { checkpointsTo: { url: 'https://checkpoints.example/maps' } },
      networkPolicy: { ...networkPolicy, checkpoints, operator: { from: outside('operators') } },
    };
    const connections = connectionsOf(policiesOf(await render(values)));
    expect(connections.oneSided).toEqual([]);
    const marked = /(<!-- connections: begin -->\n)([\s\S]*?)(\n<!-- connections: end -->)/;
    if (process.env['WAYMARK_WRITE'] === '1') {
      const text = readFileSync(document, 'utf8');
      writeFileSync(
        document,
        text.replace(marked, (_, begin, __, end) => `${begin}${connectionsTable(connections)}${end}`),
      );
    }
    expect(marked.exec(readFileSync(document, 'utf8'))?.[2]).toBe(connectionsTable(connections));
  });

  it('allow DNS by UDP and TCP', async () => {
    const policies = Object.values(policiesOf(await render({ ...standalone, networkPolicy })));
    expect(policies).toHaveLength(2);
    for (const { egress } of policies)
      expect(egress[0]?.ports).toEqual([
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ]);
  });
});
