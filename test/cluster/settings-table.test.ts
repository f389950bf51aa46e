import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TObject } from '@sinclair/typebox';
import { auditorSettings } from '@waymark/auditor/settings.ts';
import { authSettings } from '@waymark/auth/settings.ts';
import { clusterSettings } from '@waymark/cluster/settings.ts';
import { commandsSettings } from '@waymark/commands/settings.ts';
import { edgeSettings } from '@waymark/edge/settings.ts';
import { notaryProcessSettings } from '@waymark/notary/settings.ts';
import { operatorSettings } from '@waymark/operator/settings.ts';
import { projectorSettings } from '@waymark/projector/settings.ts';
import { gatewaySettings } from '@waymark/query-gateway/settings.ts';
import { relaySettings } from '@waymark/relay/settings.ts';

const document = join(import.meta.dirname, '../../docs/configuration.md');

type Spec = { readonly schema: TObject; readonly secrets: readonly string[] };

const services: Readonly<Record<string, Spec>> = {
  cluster: clusterSettings,
  commands: commandsSettings,
  relay: relaySettings,
  projector: projectorSettings,
  'query-gateway': gatewaySettings,
  notary: notaryProcessSettings,
  auditor: auditorSettings,
  auth: authSettings,
  operator: operatorSettings,
  edge: edgeSettings,
};

/** Returns the table of the document, made from the schemas: one row for each setting, with the services that read it. */
const table = (): string => {
  const names = new Set(Object.values(services).flatMap(({ schema }) => Object.keys(schema.properties)));
  const rows = [...names].map((name) => {
    const readers = Object.entries(services).filter(([, { schema }]) => name in schema.properties);
    // The description in a service is more specific than that in the process that starts all services.
    const property = readers.at(-1)?.[1].schema.properties[name];
    const standard = property?.default === '' ? '' : `\`${property?.default}\``;
    const of = readersNamed(readers.map(([service]) => service));
    return `| \`${name}\` | ${property?.default === undefined ? 'required' : standard} | ${of} | ${property?.description} |`;
  });
  return ['| Variable | Default | Read by | Meaning |', '|---|---|---|---|', ...rows].join('\n');
};

/** The edge is nginx, and has few settings. */
const readersNamed = (readers: readonly string[]): string => {
  const missing = Object.keys(services).filter((service) => !readers.includes(service));
  if (missing.length === 0) return 'all';
  return missing.join() === 'edge' ? 'all but edge' : readers.join(', ');
};

it('The settings of a cluster are in docs/configuration.md as in the schemas (WAYMARK_WRITE=1 updates the document)', () => {
  const marked = /(<!-- cluster settings: begin -->\n)([\s\S]*?)(\n?<!-- cluster settings: end -->)/;
  if (process.env['WAYMARK_WRITE'] === '1') {
    const written = readFileSync(document, 'utf8').replace(marked, (_, begin) => `${begin}${table()}\n<!-- cluster settings: end -->`);
    writeFileSync(document, written);
  }
  expect(marked.exec(readFileSync(document, 'utf8'))?.[2]).toBe(table());
});

it('A setting means the same to all services that read it', () => {
  for (const [service, { schema }] of Object.entries(services)) {
    if (service === 'cluster') continue;
    for (const [name, property] of Object.entries(schema.properties)) {
      const others = Object.values(services).flatMap((spec) => (spec === clusterSettings ? [] : (spec.schema.properties[name] ?? [])));
      expect(others.every((other) => other.description === property.description)).toBe(true);
    }
  }
});
