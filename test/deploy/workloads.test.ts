import { resourceKinds } from '@waymark/domain/streams.ts';
import { cluster, describeWithHelm, type KubernetesObject, render, standalone } from './helm.ts';
import { environmentOf, podNamed, podsOf } from './pods.ts';

const ofKind = (objects: readonly KubernetesObject[], kind: string) => objects.filter((object) => object.kind === kind);
const namesOf = (objects: readonly KubernetesObject[], kind: string) => ofKind(objects, kind).map(({ metadata: { name } }) => name);
const named = (objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject => {
  const found = ofKind(objects, kind).find((object) => object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
};
const replicasOf = (objects: readonly KubernetesObject[]) =>
  Object.fromEntries(
    ofKind(objects, 'Deployment').map(({ metadata: { name }, spec }) => [name.slice('maps-waymark-'.length), spec['replicas']]),
  );

describeWithHelm('Workloads of the chart', () => {
  it('are one pod with a volume in standalone, and nothing else', async () => {
    const objects = await render(standalone);
    expect(ofKind(objects, 'Deployment')).toEqual([]);
    expect(named(objects, 'StatefulSet', 'maps-waymark-standalone').spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'Parallel',
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } } },
      ],
    });
    expect(namesOf(objects, 'Service').sort()).toEqual(['maps-waymark', 'maps-waymark-operator', 'maps-waymark-standalone-status']);
    expect(namesOf(objects, 'PodDisruptionBudget')).toEqual([]);
  });

  it('name their Service in URLs, where no other address is given', async () => {
    const of = async (values: object) => environmentOf(podNamed(await render({ ...standalone, ...values }), 'maps-waymark-standalone'));
    expect(await of({})).toMatchObject({ WAYMARK_PUBLIC_URL: 'http://maps-waymark.city' });
    expect(await of({ service: { port: 8080 } })).toMatchObject({ WAYMARK_PUBLIC_URL: 'http://maps-waymark.city:8080' });
    expect(await of({ publicUrl: 'https://x.example' })).toMatchObject({ WAYMARK_PUBLIC_URL: 'https://x.example' });
  });

  it('take a claim that exists', async () => {
    const objects = await render({ ...standalone, standalone: { persistence: { existingClaim: 'old' } } });
    expect(named(objects, 'StatefulSet', 'maps-waymark-standalone').spec).not.toHaveProperty('volumeClaimTemplates');
    expect(podNamed(objects, 'maps-waymark-standalone').spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'old' },
    });
  });

  it('are a Deployment for each service of a cluster, and a notary with a volume', async () => {
    const objects = await render(cluster);
    const two = 2;
    expect(replicasOf(objects)).toEqual({
      commands: two,
      'commands-audit': two,
      'query-gateway': two,
      auditor: two,
      auth: two,
      relay: two,
      projector: two,
      operator: 1,
      edge: two,
    });
    expect(named(objects, 'Deployment', 'maps-waymark-operator').spec['strategy']).toEqual({ type: 'Recreate' });
    expect(named(objects, 'StatefulSet', 'maps-waymark-notary').spec).toMatchObject({ replicas: 1, volumeClaimTemplates: [{}] });
    expect(environmentOf(podNamed(objects, 'maps-waymark-commands'))).toMatchObject({ WAYMARK_RESOURCES: resourceKinds.join(',') });
  });

  it('are one of commands for each resource, by a value', async () => {
    const objects = await render({ ...cluster, commands: { perResource: true, replicas: 3 } });
    const resources = podsOf(objects).flatMap((pod) => environmentOf(pod)['WAYMARK_RESOURCES'] ?? []);
    expect(resources).toEqual([...resourceKinds, 'audit']);
    expect(replicasOf(objects)).toMatchObject({ 'commands-happening': 3, 'commands-audit': 2 });
    expect(environmentOf(podNamed(objects, 'maps-waymark-edge'))).toMatchObject({
      WAYMARK_EDGE_EVENTS: 'maps-waymark-commands-happening:8080',
      WAYMARK_EDGE_AUDIT: 'maps-waymark-commands-audit:8080',
    });
  });

  it('are reached by the edge through Services that choose pods, and by the operator through each pod', async () => {
    for (const values of [cluster, { ...cluster, commands: { perResource: true } }]) {
      const objects = await render(values);
      const edge = environmentOf(podNamed(objects, 'maps-waymark-edge'));
      const upstreams = Object.values(edge).flatMap((value) => /^(maps-waymark-[\w-]+):8080$/.exec(value)?.[1] ?? []);
      expect(upstreams).toHaveLength(8);
      for (const name of upstreams) expect(named(objects, 'Service', name).spec).not.toHaveProperty('clusterIP');
      const { WAYMARK_SERVICES: processes = '' } = environmentOf(podNamed(objects, 'maps-waymark-operator'));
      const pods = podsOf(objects).filter(({ container: { name } }) => !['operator', 'edge', 'test'].includes(name));
      expect(processes.split(',')).toHaveLength(pods.length);
      for (const process of processes.split(',')) {
        const [, service = ''] = /=http:\/\/([\w-]+):8081$/.exec(process) ?? [];
        expect(named(objects, 'Service', service).spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
      }
    }
  });

  it('have names that Services may have, also with the longest prefix', async () => {
    const prefix = 'p'.repeat(38);
    const objects = await render({ ...cluster, fullnameOverride: prefix, commands: { perResource: true } });
    const names = namesOf(objects, 'Service');
    for (const name of names) expect(name.length).toBeLessThanOrEqual(63);
    expect(names).toContain(`${prefix}-commands-category-status`);
    const { WAYMARK_SERVICES: processes = '' } = environmentOf(podNamed(objects, `${prefix}-operator`));
    for (const process of processes.split(',')) expect(names).toContain(/=http:\/\/([\w-]+):8081$/.exec(process)?.[1]);
  });

  it('have a budget of disruptions above one replica', async () => {
    const objects = await render({ ...cluster, auth: { replicas: 1 } });
    expect(namesOf(objects, 'PodDisruptionBudget')).not.toContain('maps-waymark-auth');
    expect(named(objects, 'PodDisruptionBudget', 'maps-waymark-edge').spec).toMatchObject({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    });
    const older = await render({ ...cluster, kubeVersion: 'v1.26.0' });
    expect(named(older, 'PodDisruptionBudget', 'maps-waymark-edge').spec).not.toHaveProperty('unhealthyPodEvictionPolicy');
  });

  it('keep their number of pods when an autoscaler is turned on', async () => {
    const objects = await render({
      ...cluster,
      queryGateway: { replicas: 4, autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 15 } } } },
      auth: { replicas: 3, autoscaling: { enabled: true, minReplicas: 2, targetMemoryUtilizationPercentage: 70 } },
    });
    expect(replicasOf(objects)).toMatchObject({ 'query-gateway': 4, auth: 3 });
    expect(named(objects, 'HorizontalPodAutoscaler', 'maps-waymark-query-gateway').spec).toMatchObject({
      minReplicas: 4,
      maxReplicas: 10,
      scaleTargetRef: { name: 'maps-waymark-query-gateway' },
      behavior: { scaleDown: { stabilizationWindowSeconds: 15 } },
    });
    expect(named(objects, 'HorizontalPodAutoscaler', 'maps-waymark-auth').spec).toMatchObject({ minReplicas: 2, metrics: [{}, {}] });
    expect(namesOf(await render(cluster), 'HorizontalPodAutoscaler')).toEqual([]);
  });

  it('have no pods where there are to be none', async () => {
    expect(replicasOf(await render({ ...cluster, relay: { replicas: 0 } }))).toMatchObject({ relay: 0 });
  });
});

describeWithHelm('Values of one service', () => {
  it('count more than those of all', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const objects = await render({
      ...cluster,
      image: { repository: 'r/waymark', tag: 'one', digest },
      defaults: { nodeSelector: { zone: 'a' }, labels: { team: 'maps' } },
      auth: { image: { tag: 'two' }, nodeSelector: { zone: 'b' }, priorityClassName: 'high', extraEnv: [{ name: 'TZ', value: 'UTC' }] },
      edge: { image: { digest } },
    });
    const auth = podNamed(objects, 'maps-waymark-auth');
    expect(auth.container.image).toBe('r/waymark:two');
    expect(auth.spec).toMatchObject({ nodeSelector: { zone: 'b' }, priorityClassName: 'high' });
    expect(environmentOf(auth)).toMatchObject({ TZ: 'UTC' });
    expect(podNamed(objects, 'maps-waymark-relay').container.image).toBe(`r/waymark@${digest}`);
    expect(podNamed(objects, 'maps-waymark-relay').spec).toMatchObject({ nodeSelector: { zone: 'a' } });
    expect(podNamed(objects, 'maps-waymark-edge').container.image).toBe(`r/waymark-edge@${digest}`);
  });

  it('count more than those of all as labels and annotations, also if they are empty', async () => {
    const all = { team: 'maps', stage: 'test' };
    const objects = await render({
      ...cluster,
      commonLabels: all,
      commonAnnotations: all,
      service: { annotations: { team: '' } },
      auth: { labels: { team: '' }, annotations: { team: '' } },
    });
    const own = { team: '', stage: 'test' };
    expect(named(objects, 'Service', 'maps-waymark').metadata).toMatchObject({ annotations: own });
    expect(named(objects, 'Deployment', 'maps-waymark-auth').spec).toMatchObject({
      template: { metadata: { labels: own, annotations: own } },
    });
  });

  it('do not change the pods that a Service chooses', async () => {
    const objects = await render({ ...cluster, commonLabels: { 'app.kubernetes.io/instance': 'other', team: 'maps' } });
    const { spec } = named(objects, 'Deployment', 'maps-waymark-auth');
    expect(spec).toMatchObject({
      selector: { matchLabels: { 'app.kubernetes.io/instance': 'maps' } },
      template: { metadata: { labels: { 'app.kubernetes.io/instance': 'maps', team: 'maps' } } },
    });
  });

  it('may name a ServiceAccount that exists, and add objects', async () => {
    const extra = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' } };
    const objects = await render({
      ...standalone,
      serviceAccount: { create: false, name: 'mine' },
      extraObjects: [extra, JSON.stringify(extra)],
    });
    expect(namesOf(objects, 'ServiceAccount')).toEqual([]);
    expect(podNamed(objects, 'maps-waymark-standalone').spec.serviceAccountName).toBe('mine');
    expect(namesOf(objects, 'ConfigMap')).toEqual(['maps-more', 'maps-more']);
  });
});
