import { type TSchema, Type } from '@sinclair/typebox';
import { createDefinitions, type Definitions } from './definitions.ts';
import { count, flag, manifest, manifests, optionalFields, settingValue, text, textList, texts, withRequired } from './objects.ts';
import { chartServices } from './services.ts';
import { type EngineSetting, engineSettings, keyEntries, sourceOf } from './sources.ts';
import { images, persistence, podValues, quantity, serviceValues } from './workload.ts';

/** Addresses and names of users are no secrets. A setting that is one may come from a Secret only. */
const mayBeAValue = ({ field, isSecret }: EngineSetting): boolean => !isSecret || field === 'url' || field === 'username';

const engine = (settings: readonly EngineSetting[]) =>
  optionalFields({
    ...Object.fromEntries(settings.filter(mayBeAValue).map(({ field, schema }) => [field, settingValue(schema)])),
    existingSecret: text('Secret with credentials'),
    entries: optionalFields(
      Object.fromEntries(settings.filter(({ isSecret }) => isSecret).map(({ field }) => [field, text(`Entry of that Secret: ${field}`)])),
    ),
  });

/** Returns the values for settings of all services: each schema that a service has for a setting holds. */
const commonSettings = ({ refer }: Definitions) => {
  const schemas = new Map<string, Map<string, TSchema>>();
  for (const service of Object.values(chartServices)) {
    for (const [name, schema] of Object.entries(service.schema.properties)) {
      if (sourceOf(name, service).from !== 'settings') continue;
      const value = settingValue(schema);
      const { description: _, default: standard, ...constraints } = value;
      const known = schemas.get(name) ?? new Map<string, TSchema>();
      if (!known.has(JSON.stringify(constraints))) known.set(JSON.stringify(constraints), value);
      schemas.set(name, known);
    }
  }
  return optionalFields(
    Object.fromEntries(
      [...schemas].map(([name, known]) => {
        const [first = Type.Unknown(), ...others] = known.values();
        return [
          name,
          others.length === 0 ? refer(name, first) : Type.Unsafe({ description: first.description ?? '', allOf: [first, ...others] }),
        ];
      }),
    ),
    'Settings of every service that reads them',
  );
};

const peers = (description: string) => manifests(`${description}: peers of a NetworkPolicy`);
const destination = (description: string) => optionalFields({ to: peers(description), ports: manifests('Its ports; none: all') });

const networkPolicy = optionalFields({
  enabled: flag('Whether NetworkPolicies are made'),
  gateway: optionalFields({ from: peers('What sends the requests of clients, such as an Ingress controller') }),
  scraper: optionalFields({ from: peers('What reads /metrics') }),
  operator: optionalFields({ from: peers('What else calls the operator API') }),
  engines: optionalFields(Object.fromEntries(Object.keys(engineSettings()).map((name) => [name, destination(name)]))),
  checkpoints: destination('Where checkpoints are published'),
  dns: destination('The DNS of the cluster'),
});

const workloads = (definitions: Definitions) => {
  const { notary, standalone, commands, operator, ...others } = chartServices;
  if (notary === undefined || standalone === undefined || commands === undefined || operator === undefined)
    throw new Error('a service is missing');
  return {
    commands: serviceValues(definitions, commands, { perResource: flag('One Deployment for each resource in place of one for all') }),
    ...Object.fromEntries(Object.entries(others).map(([key, service]) => [key, serviceValues(definitions, service)])),
    operator: serviceValues(definitions, operator, { verificationSize: quantity('What waymark verify may take of the disk of the node') }),
    notary: withRequired(
      ['persistence', 'checkpointsTo'],
      serviceValues(definitions, notary, {
        persistence: persistence("the notary's own files"),
        checkpointsTo: optionalFields({
          url: text('Where checkpoints are published, without credentials', '^((https?|s3[+]https?)://.*)?$'),
          existingSecret: text('Secret with that URL'),
          entry: text('Its entry'),
          existingClaim: text('A claim that checkpoints are published to, in place of a URL; the operator mounts it, too'),
        }),
      }),
    ),
    standalone: withRequired(['persistence'], serviceValues(definitions, standalone, { persistence: persistence('all data') })),
  };
};

const service = optionalFields({
  type: Type.Union(['ClusterIP', 'NodePort', 'LoadBalancer'].map((type) => Type.Literal(type))),
  port: count('Port of the API', 65_535, 1),
  nodePort: count('Port on the nodes; 0: any', 65_535),
  annotations: texts('Annotations of the Service'),
  loadBalancerClass: text('Class of the load balancer'),
  loadBalancerSourceRanges: textList('Subnets that may reach it'),
  externalTrafficPolicy: text('Cluster or Local', '^(Cluster|Local)?$'),
});

/** The values that the templates take apart. */
const sections = (): readonly string[] => [
  ...['image', 'serviceAccount', 'keys', 'authorities', 'defaults', 'service', 'networkPolicy'],
  ...Object.keys(engineSettings()),
  ...Object.keys(chartServices),
];

/** Returns the schema of the chart's values. */
export const valuesSchema = () => {
  const definitions = createDefinitions();
  const values = withRequired(sections(), allValues(definitions));
  return { $schema: 'http://json-schema.org/draft-07/schema#', definitions: definitions.all, ...values };
};

const allValues = (definitions: Definitions) =>
  optionalFields({
    global: manifest('Values of a parent chart'),
    enabled: flag('Not read here: the condition by which a parent chart may leave this one out'),
    mode: Type.Union([Type.Literal('standalone'), Type.Literal('cluster')]),
    nameOverride: text('Name in place of that of the chart', '^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$'),
    fullnameOverride: text('Prefix of the names of all objects', '^([a-z]([a-z0-9-]*[a-z0-9])?)?$'),
    kubeVersion: text('Version of Kubernetes, where Helm does not know it'),
    commonLabels: texts('Labels of all objects'),
    commonAnnotations: texts('Annotations of all objects'),
    revisionHistoryLimit: count('Old ReplicaSets that are kept', 100),
    progressDeadlineSeconds: count('Time after which a Deployment counts as stuck, longer than a rebuild', 604_800, 1),
    drainSeconds: count('Seconds that a stopping pod continues to answer', 3_600),
    startupSeconds: count('Seconds that a pod may take to start', 604_800, 10),
    listen: text('Address that pods listen on: 0.0.0.0, or :: on a cluster with IPv6 only', '^[0-9a-f.:]+$'),
    ...definitions.referEach(images),
    serviceAccount: optionalFields({
      create: flag('Whether a ServiceAccount is made'),
      name: text('Its name; empty: that of the installation'),
      annotations: texts('Its annotations'),
    }),
    podSecurityContext: manifest('Security context of the pods'),
    publicUrl: text('Base URL that clients see', '^(https?://[^\\s?#"\\\\]+)?$'),
    keys: withRequired(
      ['entries'],
      optionalFields({
        existingSecret: text('Secret with the keys of the installation: npx waymark keys new'),
        entries: optionalFields(Object.fromEntries(keyEntries.map((entry) => [entry, text(`Entry with the key ${entry}`, '.')]))),
      }),
    ),
    ...Object.fromEntries(Object.entries(engineSettings()).map(([name, settings]) => [name, engine(settings)])),
    authorities: optionalFields({
      existingConfigMap: text('ConfigMap with the CA certificates of the engines'),
      entry: text('Its entry', '.'),
    }),
    settings: commonSettings(definitions),
    defaults: optionalFields(definitions.referEach(podValues)),
    ...workloads(definitions),
    service,
    ingress: optionalFields({
      enabled: flag('Whether an Ingress is made'),
      className: text('Its class'),
      annotations: texts('Its annotations'),
      hosts: textList('Host names'),
      tls: manifests('Its TLS: secretName and hosts'),
    }),
    httpRoute: optionalFields({
      enabled: flag('Whether an HTTPRoute is made'),
      annotations: texts('Its annotations'),
      parentRefs: manifests('The gateways'),
      hostnames: textList('Host names'),
    }),
    networkPolicy: withRequired(['gateway', 'scraper', 'operator', 'checkpoints', 'dns'], networkPolicy),
    extraObjects: Type.Array(Type.Union([manifest('A manifest'), Type.String()]), {
      description: 'Other manifests; templates in them count',
    }),
  });
