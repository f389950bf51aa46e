import { newKeys } from '@waymark/cli/keys/keys.ts';
import { secretManifest } from '@waymark/cli/keys/manifests.ts';
import { until } from '../../cluster/setup/until.ts';
import { chart } from '../helm.ts';
import { describeOnInstallation } from '../installation/installation.ts';
import { inNamespace, kubectl, useNamespace } from '../node.ts';
import { replicatedServices } from '../replicas.ts';

jest.setTimeout(600_000);

const saidWithinMs = 120_000;
const replicas = replicatedServices.map((name) => `${name}.replicas=1`);

describeOnInstallation('A cluster on Kubernetes that cannot start says why:', () => {
  const namespace = useNamespace();
  const { helm, onNode } = inNamespace(namespace);
  const { WAYMARK_EVENTSTORE_URL, WAYMARK_KAFKA_BROKERS, WAYMARK_MONGODB_URL, WAYMARK_REDIS_URL } = process.env;
  const given = (values: Readonly<Record<string, string | undefined>>): readonly string[] =>
    [
      'mode=cluster',
      'image.repository=waymark',
      'publicUrl=http://127.0.0.1',
      'keys.existingSecret=waymark-keys',
      'defaults.resources.requests.cpu=10m',
      'media.url=gridfs+mongodb://nowhere:27017/media?replicaSet=rs0',
      ...replicas,
      ...Object.entries({
        'eventStore.url': WAYMARK_EVENTSTORE_URL,
        'kafka.brokers': WAYMARK_KAFKA_BROKERS,
        'mongodb.url': WAYMARK_MONGODB_URL,
        'redis.url': WAYMARK_REDIS_URL,
        ...values,
      }).map(([name, value]) => `${name}=${value}`),
    ].flatMap((value) => ['--set', value]);
  const logOf = (service: string) => onNode('logs', '--selector', `app.kubernetes.io/component=${service}`, '--tail=-1');
  const ofPods = (service: string, path: string) =>
    onNode('get', 'pods', '--selector', `app.kubernetes.io/component=${service}`, '-o', `jsonpath=${path}`);

  afterAll(() => helm('uninstall', 'other', '--ignore-not-found'));

  it('a Secret that is missing, in the events of its pods', async () => {
    await helm('install', 'other', chart, ...given({ 'eventStore.url': 'esdb://10.99.0.1:1?tls=false' }));
    await until('an event names the Secret', saidWithinMs, async () =>
      (await onNode('get', 'events')).includes('secret "waymark-keys" not found'),
    );
    const { metadata, ...keys } = secretManifest('waymark-keys', newKeys()) as { readonly metadata: object };
    await kubectl(['create', '-f', '-'], JSON.stringify({ ...keys, metadata: { ...metadata, namespace } }));
  });

  it('an engine that is unavailable, in the log of each service that needs it', async () => {
    await until('the log names the engine', saidWithinMs, async () => /event (store|log)/.test(await logOf('relay')));
    expect(await ofPods('relay', '{.items[*].status.containerStatuses[*].restartCount}')).toBe('0');
  });

  it('engines of another installation, in the state of its pods', async () => {
    await helm('upgrade', 'other', chart, ...given({}));
    await until('the pods say so', saidWithinMs, async () =>
      (await ofPods('relay', '{.items[*].status.containerStatuses[*].lastState.terminated.message}')).includes(
        'WAYMARK_SIGNING_KEY: this installation has accepted none of these keys.',
      ),
    );
  });
});
