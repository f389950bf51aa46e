import { cluster, describeWithHelm, type KubernetesObject, render, standalone } from './helm.ts';
import { environmentOf, type Pod, podNamed, podsOf, secretFilesOf } from './pods.ts';
import { chartServices } from './values/services.ts';

const kindsWithRights = ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

const forms: readonly (readonly [string, object])[] = [
  ['standalone', standalone],
  ['standalone with keys', { ...standalone, keys: { existingSecret: 'waymark-keys' } }],
  ['cluster', cluster],
  [
    'cluster with a service for each resource, and checkpoints',
    { ...cluster, commands: { perResource: true }, notary: { checkpointsTo: { existingSecret: 'place', entry: 'url' } } },
  ],
];

/** Returns the service that a pod runs, by its argument. */
const serviceOf = ({ container }: Pod) => Object.values(chartServices).find(({ name }) => name === container.args[0]);

/** Only these hold the operator token, which permits erasure and import. */
const holdOperatorToken = ['operator', 'standalone', 'test'];

describeWithHelm('Pods of the chart,', () => {
  describe.each(forms)('as %s,', (_, values) => {
    let objects: readonly KubernetesObject[] = [];
    beforeAll(async () => {
      objects = await render({ ...values });
    });

    it('have no rights and no token', () => {
      expect(objects.filter(({ kind }) => kindsWithRights.includes(kind))).toEqual([]);
      for (const account of objects.filter(({ kind }) => kind === 'ServiceAccount'))
        expect(account).toMatchObject({ automountServiceAccountToken: false });
      for (const { spec } of podsOf(objects)) {
        expect(spec.automountServiceAccountToken).toBe(false);
        expect(JSON.stringify(spec.volumes)).not.toContain('serviceAccountToken');
      }
    });

    it('may run where the restricted standard is enforced', () => {
      for (const { spec, container } of podsOf(objects)) {
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(JSON.stringify(spec)).not.toMatch(/hostPath|hostNetwork|hostPID|hostPort|privileged/);
      }
    });

    it('mount exactly the secrets that the settings of their service name, and read each of them', () => {
      for (const pod of podsOf(objects)) {
        const environment = environmentOf(pod);
        const read = Object.keys(environment).filter((name) => name.endsWith('_FILE') && name !== 'WAYMARK_TLS_CA_FILE');
        const secrets = serviceOf(pod)?.secrets ?? ['WAYMARK_OPS_TOKEN'];
        for (const name of read) expect(secrets).toContain(name.slice(0, -'_FILE'.length));
        expect(Object.keys(secretFilesOf(pod)).sort()).toEqual(read.map((name) => environment[name]).sort());
      }
    });

    it('have secrets in files only', () => {
      for (const { container } of podsOf(objects)) {
        expect(container.envFrom).toBeUndefined();
        expect(JSON.stringify(container.env)).not.toMatch(/secretKeyRef|configMapKeyRef/);
      }
    });

    it('hold the operator token only where it is needed', () => {
      for (const pod of podsOf(objects)) {
        const holds = Object.values(secretFilesOf(pod)).includes('waymark-keys/operator');
        if (holds) expect(holdOperatorToken).toContain(pod.container.name);
      }
    });

    it('request the memory of their limit, and have no limit of processor time', () => {
      for (const { container, spec } of podsOf(objects)) {
        expect(container.resources.requests['memory']).toBe(container.resources.limits['memory']);
        expect(container.resources.limits['cpu']).toBeUndefined();
        for (const { name, emptyDir } of spec.volumes) {
          // What `waymark verify` fills grows with the log: it is on the node's disk, and only the operator has it.
          const onDisk = container.name === 'operator' && name === 'verification';
          if (emptyDir)
            expect(emptyDir).toEqual(onDisk ? { sizeLimit: '10Gi' } : { medium: 'Memory', sizeLimit: expect.stringMatching(/Mi$/) });
        }
        expect(container.terminationMessagePolicy).toBe('FallbackToLogsOnError');
      }
    });

    it('are asked whether they serve and whether they live, and may start slowly', () => {
      for (const { container } of podsOf(objects)) {
        if (container.name === 'edge' || container.name === 'test') continue;
        expect(container.readinessProbe?.httpGet?.path).toBe('/servez');
        expect(container.livenessProbe).toMatchObject({ httpGet: { path: '/livez' }, timeoutSeconds: 5, failureThreshold: 6 });
        const { periodSeconds = 0, failureThreshold = 0 } = container.startupProbe ?? {};
        expect(periodSeconds * failureThreshold).toBe(600);
      }
    });
  });

  it('have every key that their service reads', async () => {
    const objects = await render(cluster);
    const wanted = ['WAYMARK_SIGNING_KEY', 'WAYMARK_CURSOR_KEY', 'WAYMARK_IDEMPOTENCY_KEY', 'WAYMARK_REQUEST_ID_KEY', 'WAYMARK_NOTARY_KEY'];
    for (const pod of podsOf(objects)) {
      const { secrets = [] } = serviceOf(pod) ?? {};
      for (const name of wanted.filter((one) => secrets.includes(one))) expect(environmentOf(pod)).toHaveProperty(`${name}_FILE`);
    }
  });

  it('have longer to stop than their service takes', async () => {
    const objects = await render({ ...cluster, projector: { settings: { WAYMARK_GRACE_SECONDS: 1_200 } }, drainSeconds: 20 });
    expect(podNamed(objects, 'maps-waymark-projector').spec.terminationGracePeriodSeconds).toBeGreaterThan(20 + 1_200 + 9);
    expect(podNamed(objects, 'maps-waymark-auth').spec.terminationGracePeriodSeconds).toBeGreaterThan(20 + 9);
    expect(podNamed(objects, 'maps-waymark-edge').spec.terminationGracePeriodSeconds).toBeGreaterThan(20 + 60);
  });

  it('take their memory from their limit, and nginx its workers from its request', async () => {
    const objects = await render(cluster);
    const computed = (name: string) =>
      podNamed(objects, name).container.env.flatMap(({ name: of, valueFrom }) => (valueFrom ? [[of, valueFrom]] : []));
    expect(computed('maps-waymark-relay')).toEqual([
      ['WAYMARK_MEMORY_MB', { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }],
    ]);
    expect(computed('maps-waymark-edge')).toEqual([
      ['WAYMARK_EDGE_WORKERS', { resourceFieldRef: { resource: 'requests.cpu', divisor: '1' } }],
    ]);
  });
});
