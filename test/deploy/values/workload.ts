import { type TProperties, Type } from '@sinclair/typebox';
import type { Definitions } from './definitions.ts';
import { count, flag, manifest, manifests, optionalFields, settingValue, text, texts } from './objects.ts';
import type { ChartService } from './services.ts';
import { sourceOf } from './sources.ts';

export const quantity = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[0-9]+([.][0-9]+)?(m|[kMGTPE]i?)?$' })], { description });

const amounts = (memory: string, cpu: string) =>
  optionalFields({ memory: quantity(memory), cpu: quantity(cpu), 'ephemeral-storage': quantity('Space on the disk of the node') });

const image = optionalFields(
  {
    repository: text('Registry and name of the image, without tag and digest', '^(([^@\\s]+/)?[^:/@\\s]+)?$'),
    tag: text('Its tag; empty: the release of the chart'),
    digest: text('Its digest, which counts more than the tag', '^(sha256:[0-9a-f]{64})?$'),
    pullPolicy: Type.Union(
      ['Always', 'IfNotPresent', 'Never'].map((policy) => Type.Literal(policy)),
      { description: 'When the image is pulled' },
    ),
  },
  'Image of the containers',
);

export const images: TProperties = { image, imagePullSecrets: manifests('Secrets with credentials of the registry') };

/** The values of every workload, and of `defaults`, which counts where a workload leaves a value out. */
export const podValues: TProperties = {
  resources: optionalFields({
    limits: amounts('Memory of a pod, its request as well', 'Limit of processor time; better none'),
    requests: amounts('The same as the limit', 'Share of processor time'),
  }),
  tmpSize: quantity('Size of /tmp, which is part of the memory'),
  nodeSelector: texts('Labels of the nodes that pods run on'),
  tolerations: manifests('Taints of nodes that pods tolerate'),
  affinity: manifest('Affinity of the pods'),
  topologySpreadConstraints: manifests('Spread of the pods, in place of that over nodes and zones'),
  priorityClassName: text('Priority class of the pods'),
  labels: texts('Labels of the pods'),
  annotations: texts('Annotations of the pods'),
  extraEnv: Type.Array(
    Type.Object(
      {
        // Settings are values of their own, which are checked.
        name: Type.String({ minLength: 1, not: { pattern: '^WAYMARK_' } }),
        value: Type.Optional(Type.String()),
        valueFrom: Type.Optional(manifest('Where the value comes from')),
      },
      { additionalProperties: false },
    ),
    { description: 'Other environment variables; settings of Waymark belong to settings' },
  ),
  extraVolumes: manifests('Other volumes'),
  extraVolumeMounts: manifests('Where they are mounted'),
};

const autoscaling = optionalFields(
  {
    enabled: flag('Whether a HorizontalPodAutoscaler sets the number of pods'),
    minReplicas: count('Fewest pods; 0: the number of replicas', 1_000),
    maxReplicas: count('Most pods', 1_000, 1),
    targetCPUUtilizationPercentage: count('Processor time in use, in percent of the request; 0: not looked at', 1_000),
    targetMemoryUtilizationPercentage: count('Memory in use, in percent of the request; 0: not looked at', 1_000),
    behavior: manifest('Behaviour of the autoscaler'),
  },
  'Needs a metrics server',
);

export const persistence = (what: string) =>
  optionalFields(
    {
      size: quantity('Size of the claim at its creation; later only kubectl patch changes it'),
      storageClassName: text('Storage class; empty: that of the cluster'),
      accessModes: Type.Array(Type.Union(['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'].map((mode) => Type.Literal(mode))), {
        minItems: 1,
        description: 'Access modes of the claim',
      }),
      existingClaim: text('A claim that exists, in place of a new one'),
      annotations: texts('Annotations of the claim'),
    },
    `Volume with ${what}; it stays at uninstall`,
  );

/** Returns the values of a service. */
export const serviceValues = ({ refer, referEach }: Definitions, service: ChartService, more: TProperties = {}) => {
  const settings = Object.entries(service.schema.properties)
    .filter(([name]) => sourceOf(name, service).from === 'settings')
    .map(([name, schema]) => [name, refer(name, settingValue(schema))]);
  return optionalFields({
    ...referEach({ ...images, ...podValues }),
    settings: optionalFields(Object.fromEntries(settings), `Settings of ${service.name}`),
    ...(service.replicasMax !== undefined && { replicas: count('Number of pods', service.replicasMax) }),
    ...(service.isAutoscaled && { autoscaling: refer('autoscaling', autoscaling) }),
    ...more,
  });
};
