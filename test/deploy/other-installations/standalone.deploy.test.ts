import { type Client, openClient } from '../../api/client.ts';
import { aPinpoint } from '../../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../../api/session.ts';
import { until } from '../../cluster/setup/until.ts';
import { chart } from '../helm.ts';
import { describeOnInstallation } from '../installation/installation.ts';
import { inNamespace, kubectl, useNamespace } from '../node.ts';
import { createVolume } from '../volumes.ts';

jest.setTimeout(600_000);

const port = 30_081;
const url = `http://127.0.0.1:${port}`;
const pod = 'pod/maps-waymark-standalone-0';
const claimName = 'data-maps-waymark-standalone-0';
const claim = `pvc/${claimName}`;
const within = '180s';
const routedMs = 60_000;
/** Any user may run the image with the group 0, as platforms choose one. */
const anyUser = ['--set', 'podSecurityContext.runAsUser=23456', '--set', 'podSecurityContext.fsGroup=null'];
const values = [
  'image.repository=waymark',
  `publicUrl=${url}`,
  'service.type=NodePort',
  `service.nodePort=${port}`,
  'standalone.persistence.size=1Gi',
].flatMap((value) => ['--set', value]);

describeOnInstallation('A standalone server on Kubernetes', () => {
  const namespace = useNamespace();
  let client: Client;
  let me: Session;
  let id: number;

  const { helm, onNode } = inNamespace(namespace);
  const install = () => helm('install', 'maps', chart, ...values, ...anyUser, '--wait', '--timeout', within);
  const untilReady = async (): Promise<void> => {
    await onNode('wait', '--for=create', pod, '--timeout', within);
    await onNode('wait', '--for=condition=Ready', pod, '--timeout', within);
  };
  /** The rules of the node's network follow a pod that is ready a moment later. */
  const expectName = (name: string): Promise<unknown> =>
    until(`the pinpoint has the name ${name}`, routedMs, async () => (await me.read(`/pinpoints/${id}`))['name'] === name);
  const uidOf = () => onNode('get', pod, '-o', 'jsonpath={.metadata.uid}');

  beforeAll(async () => {
    await createVolume('standalone', { namespace, name: claimName });
    await install();
    client = openClient(url);
    const made = await onNode('exec', pod, '--', 'waymark', 'app', 'create', '--json', '--account', 'city', '--name', 'maps');
    const application = JSON.parse(made) as Application;
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    me = openSession(client.send, application, access_token);
    ({ id } = await me.create('/pinpoints', aPinpoint({ name: 'kept' })));
  });
  afterAll(async () => {
    client?.close();
    await helm('uninstall', 'maps', '--ignore-not-found');
    await kubectl(['delete', 'pv', 'standalone', '--wait=false', '--ignore-not-found']);
  });

  it('has everything again after its pod was deleted', async () => {
    const before = await uidOf();
    await onNode('delete', pod);
    await untilReady();
    expect(await uidOf()).not.toBe(before);
    await expectName('kept');
  });

  it('is upgraded to another version of the projections, and takes writes', async () => {
    await helm('upgrade', 'maps', chart, '--reuse-values', '--set', 'image.tag=next', '--wait', '--timeout', within);
    await expectName('kept');
    bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'upgraded' })), 200);
    await helm('rollback', 'maps', '--wait', '--timeout', within);
    await expectName('upgraded');
  });

  it('leaves its claim at an uninstallation, and finds it again', async () => {
    const volume = await onNode('get', claim, '-o', 'jsonpath={.spec.volumeName}');
    await helm('uninstall', 'maps', '--wait');
    expect(await onNode('get', claim, '-o', 'jsonpath={.spec.volumeName} {.status.phase}')).toBe(`${volume} Bound`);
    await install();
    await expectName('upgraded');
  });
});
