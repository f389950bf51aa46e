import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { chart, cluster, examples, objectsOf, renderText, standalone, type Values } from './helm.ts';
import { describeOnNode, gatewayApi, helmOnNode, kubectl, useNamespace } from './node.ts';
import { type PodSpec, podsOf } from './pods.ts';

/** Kinds that this node has definitions of. */
const known = /^(v1|apps\/v1|autoscaling\/v2|policy\/v1|networking\.k8s\.io\/v1|gateway\.networking\.k8s\.io\/v1)$/;

const withClaim = ({ volumes, containers: [{ volumeMounts }] }: PodSpec): readonly object[] => {
  const hasData = volumeMounts.some(({ name }) => name === 'data') && !volumes.some(({ name }) => name === 'data');
  return hasData ? [...volumes, { name: 'data', persistentVolumeClaim: { claimName: 'data' } }] : volumes;
};

const peer = [{ namespaceSelector: {} }];
const engines = Object.fromEntries(['eventStore', 'kafka', 'mongodb', 'redis', 'media'].map((name) => [name, { to: peer }]));
const networkPolicy = { enabled: true, gateway: { from: peer }, scraper: { from: peer }, engines };

describeOnNode('A real API server', () => {
  const namespace = useNamespace();
  beforeAll(async () => {
    await kubectl(['apply', '--server-side', '-f', '-'], gatewayApi());
    await kubectl(['wait', '--for=condition=Established', 'crd/httproutes.gateway.networking.k8s.io']);
  });

  it.each<readonly [string, Values, readonly string[]]>([
    ['standalone', standalone, []],
    ['a cluster', cluster, []],
    ['a cluster with network policies', { ...cluster, networkPolicy, commands: { perResource: true } }, []],
    ...['ingress', 'httproute', 'cert-manager', 'strimzi', 'hpa', 'gitops'].map(
      (folder) => [`the example ${folder}`, {}, [join(examples, folder, 'values.yaml')]] as const,
    ),
  ])('accepts %s, and its pods under the restricted standard', async (_, values, files) => {
    const objects = objectsOf(await renderText(values, { namespace, files })).filter(({ apiVersion }) => known.test(apiVersion));
    const pods = podsOf(objects).map(({ name, spec }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${name}-pod`, namespace },
      // The account is made with the other objects, and so not in a dry run. A StatefulSet adds the volume of its claim.
      spec: { ...spec, serviceAccountName: 'default', volumes: withClaim(spec) },
    }));
    const manifests = [...objects.filter(({ kind }) => kind !== 'Pod'), ...pods].map((object) => JSON.stringify(object)).join('\n---\n');
    const { stdout, stderr } = await kubectl(['create', '--dry-run=server', '-f', '-'], manifests);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n').length).toBeGreaterThan(objects.length);
  });

  describe('with an installation', () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-on-node-'));
    const install = async (words: readonly string[], values: Values): Promise<string> => {
      const file = join(directory, 'values.yaml');
      writeFileSync(file, stringify(values, { version: '1.1' }));
      return helmOnNode([...words, 'maps', chart, '--namespace', namespace, '--values', file]);
    };
    const replicas = async (name: string): Promise<number> =>
      Number((await kubectl(['-n', namespace, 'get', `deployment/maps-waymark-${name}`, '-o', 'jsonpath={.spec.replicas}'])).stdout);

    afterAll(async () => {
      await helmOnNode(['uninstall', 'maps', '--ignore-not-found', '--namespace', namespace]);
      rmSync(directory, { recursive: true });
    });

    it('keeps the number of pods when an autoscaler is turned on, and at the next upgrade', async () => {
      await install(['install'], cluster);
      expect(await replicas('query-gateway')).toBe(2);
      await kubectl(['-n', namespace, 'scale', 'deployment/maps-waymark-query-gateway', '--replicas=5']);
      const scaled = { ...cluster, queryGateway: { autoscaling: { enabled: true } } };
      await install(['upgrade'], scaled);
      expect(await replicas('query-gateway')).toBe(5);
      await install(['upgrade'], { ...scaled, revisionHistoryLimit: 3 });
      expect(await replicas('query-gateway')).toBe(5);
    });

    it.each([
      [{ size: '2Gi' }, 'size: it was 1Gi at the installation and stays so; a claim grows by kubectl patch pvc data-maps-waymark-notary-0'],
      [{ accessModes: ['ReadWriteMany'] }, 'accessModes: they were ReadWriteOnce at the installation'],
      [{ storageClassName: 'fast' }, 'storageClassName: it stays as it was'],
      [{ existingClaim: 'other' }, 'existingClaim: it cannot change; uninstall, which leaves the claim'],
    ])('refuses to change a claim, and says what to do: %j', async (persistence, message) => {
      await expect(install(['upgrade'], { ...cluster, notary: { persistence } })).rejects.toThrow(`notary.persistence.${message}`);
    });

    it('names what a cluster lacks, and installs nothing', async () => {
      await expect(install(['upgrade'], { ...cluster, publicUrl: '', media: {} })).rejects.toThrow('publicUrl: it must be set');
      expect(await replicas('query-gateway')).toBe(5);
    });
  });
});
