import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { examples, objectsOf, renderText } from './helm.ts';
import { describeOnNode, kubectl, useNamespace } from './node.ts';

/** The directory of the Go module github.com/cert-manager/cert-manager. */
const certManager = process.env['WAYMARK_CERT_MANAGER'] ?? '';

/** Returns the definition in a file. The files are parts of a chart: their templates are in comments, labels and annotations. */
const definitionIn = (file: string): object => {
  const definition = parse(readFileSync(file, 'utf8'));
  const { name } = definition.metadata;
  return { ...definition, metadata: { name } };
};

const definitions = (module: string): string => {
  const directory = join(module, 'deploy/crds');
  const files = readdirSync(directory).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => JSON.stringify(definitionIn(join(directory, name)))).join('\n---\n');
};

const title = 'The kinds of cert-manager in the example';

const testKinds = (): void => {
  const namespace = useNamespace();

  it('are accepted with the definitions of its Go module', async () => {
    await kubectl(['apply', '--server-side', '-f', '-'], definitions(certManager));
    await kubectl(['wait', '--for=condition=Established', 'crd/certificates.cert-manager.io']);
    const text = await renderText({}, { namespace, files: [join(examples, 'cert-manager/values.yaml')] });
    const objects = objectsOf(text).filter(({ apiVersion }) => apiVersion === 'cert-manager.io/v1');
    expect(objects.map(({ kind }) => kind)).toEqual(['Certificate']);
    const manifests = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const { stderr } = await kubectl(['create', '--dry-run=server', '-f', '-'], manifests);
    expect(stderr).toBe('');
    const wrong = manifests.replace('"secretName"', '"secretNamed"');
    await expect(kubectl(['create', '--dry-run=server', '-f', '-'], wrong)).rejects.toThrow('secretName');
  });
};

if (certManager === '') describe.skip(`${title} (left out: needs WAYMARK_CERT_MANAGER)`, testKinds);
else describeOnNode(title, testKinds);
