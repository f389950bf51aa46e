import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { cluster, describeWithHelm, examples, objectsOf, renderText, standalone } from './helm.ts';

const folders = readdirSync(examples, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const filesOf = (folder: string): readonly string[] => readdirSync(join(examples, folder));

describe('The examples', () => {
  it('are those of the table', () => {
    const table = readFileSync(join(examples, 'README.md'), 'utf8');
    expect([...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name).sort()).toEqual([...folders].sort());
  });

  // No definition of these kinds can be had here.
  it.each(folders.flatMap((folder) => filesOf(folder).map((file) => join(folder, file))))('are YAML: %s', (file) => {
    for (const document of parseAllDocuments(readFileSync(join(examples, file), 'utf8'))) expect(document.errors).toEqual([]);
  });
});

describeWithHelm('Manifests', () => {
  const values = (folder: string) => ({ files: [join(examples, folder, 'values.yaml')] });

  it.each(folders)('of the example %s are the same when they are rendered twice, and each has a name of its own', async (folder) => {
    const text = await renderText({}, values(folder));
    expect(await renderText({}, values(folder))).toBe(text);
    const names = objectsOf(text).map(({ kind, metadata: { name } }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['standalone', standalone],
    ['cluster', cluster],
  ])('of %s are the same when they are rendered twice', async (_, given) => {
    expect(await renderText(given)).toBe(await renderText(given));
  });

  it('lead everything to the edge, with 65 s for a request', async () => {
    const route = objectsOf(await renderText({}, values('httproute'))).find(({ kind }) => kind === 'HTTPRoute');
    expect(route?.spec).toMatchObject({ rules: [{ backendRefs: [{ name: 'maps-waymark', port: 80 }], timeouts: { request: '65s' } }] });
    const ingress = objectsOf(await renderText({}, values('ingress'))).find(({ kind }) => kind === 'Ingress');
    expect(ingress?.spec).toMatchObject({
      ingressClassName: 'nginx',
      rules: [{ host: 'maps.example.org', http: { paths: [{ path: '/', backend: { service: { name: 'maps-waymark' } } }] } }],
    });
  });
});
