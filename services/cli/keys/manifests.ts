import type { MovingCluster } from '@waymark/cluster/moving.ts';
import type { InstallationKeys } from './keys.ts';

/** Returns the manifest of a Kubernetes Secret with an entry for each key. */
export const secretManifest = (name: string, keys: InstallationKeys): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'app.kubernetes.io/name': 'waymark', 'app.kubernetes.io/component': 'keys' } },
  type: 'Opaque',
  stringData: keys,
});

/** Returns values of the chart that let it find what a cluster has stored. They contain no secret.
 * @param secret the name of the Secret with its keys */
export const chartValues = ({ settings }: MovingCluster, secret: string): object => ({
  mode: 'cluster',
  keys: { existingSecret: secret },
  kafka: { topic: settings.WAYMARK_KAFKA_TOPIC },
  mongodb: { database: settings.WAYMARK_MONGODB_DATABASE },
  redis: { prefix: settings.WAYMARK_REDIS_PREFIX },
  media: { url: withoutCredentials(settings.WAYMARK_MEDIA_URL) },
});

// As text: a URL may name several hosts, which no URL parser accepts.
const withoutCredentials = (url: string): string => url.replace(/^([^/]+:\/\/)[^/?]*@/, '$1');

/** Returns JSON, which is YAML, too: for kubectl and Helm. */
export const manifestText = (manifest: object): string => JSON.stringify(manifest, undefined, 2);
