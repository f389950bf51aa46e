import { type ServedCluster, servedCluster } from '../../cluster/setup/cluster.ts';
import type { Fault } from '../../cluster/setup/trial.ts';
import { until } from '../../cluster/setup/until.ts';
import { chart } from '../helm.ts';
import { helmOnNode, kubectl } from '../node.ts';
import { replicatedServices } from '../replicas.ts';

/** Where `with-chart` has installed a cluster: `namespace/release`. */
const [namespace = '', release = ''] = (process.env['WAYMARK_TEST_INSTALLATION'] ?? '').split('/');

/** Pods start several times slower than processes, and other tests run beside. */
const slowness = 3;
const changeWithin = '600s';
const changeMs = 600_000;
const availableWithinMs = 300_000;

/** Declares tests that need what `npm run test:deploy` has: a cluster that the chart installed, its engines, and the images on the node. */
export const describeOnInstallation = (title: string, body: () => void): void => {
  if (release) describe(title, body);
  else describe.skip(`${title} (left out: needs npm run test:deploy)`, body);
};

/** The installed cluster, through its edge and its operator service. */
export const installation = (): ServedCluster => {
  const { WAYMARK_TEST_URL: url = '', WAYMARK_TEST_OPS_URL: operatorUrl = '', WAYMARK_TEST_OPS_TOKEN: operatorToken = '' } = process.env;
  return servedCluster({ url, operatorUrl, operatorToken, slowness, printed: () => '' });
};

/** What may be refused while services change, with 503 or 429 and Retry-After. No connection may be lost. */
export const refusedInChanges = ['reads', 'writes', 'tokens'] as const;

const usualLoad = { readsPerSecond: 50 };
const soakLoad = { readsPerSecond: 200, refusedShareMax: 0.001 };

/** Adds steady reads to the load under which a fault strikes. In the soak, few of the requests may be asked to retry. */
export const underLoad = (fault: Fault<ServedCluster>): Fault<ServedCluster> => ({
  ...(process.env['WAYMARK_SOAK'] ? soakLoad : usualLoad),
  ...fault,
});

type Workload = { readonly name: string; readonly wanted: number; readonly available: number };
export type Pod = { readonly name: string; readonly component: string; readonly address: string; readonly restarts: number };

const itemsOf = async <Item>(kinds: string): Promise<readonly Item[]> => {
  const { stdout } = await kubectl(['-n', namespace, 'get', kinds, '-o', 'json']);
  return (JSON.parse(stdout) as { readonly items: readonly Item[] }).items;
};

type Named = { readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> } };
const componentOf = ({ metadata }: Named): string => metadata.labels['app.kubernetes.io/component'] ?? '';

/** Returns the running pods. */
export const podsOfInstallation = async (): Promise<readonly Pod[]> => {
  type Item = Named & {
    readonly status: {
      readonly phase: string;
      readonly podIP: string;
      readonly containerStatuses?: readonly { readonly restartCount: number }[];
    };
  };
  return (await itemsOf<Item>('pods'))
    .filter(({ status }) => status.phase === 'Running')
    .map((pod) => ({
      name: pod.metadata.name,
      component: componentOf(pod),
      address: pod.status.podIP,
      restarts: (pod.status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
    }));
};

/** Returns how many pods each workload wants and how many serve, by component. */
export const workloads = async (): Promise<readonly Workload[]> => {
  type Item = Named & { readonly spec: { readonly replicas: number }; readonly status: { readonly availableReplicas?: number } };
  return (await itemsOf<Item>('deployments,statefulsets')).map((one) => ({
    name: componentOf(one),
    wanted: one.spec.replicas,
    available: one.status.availableReplicas ?? 0,
  }));
};

/** Returns the addresses to which Services send requests, by the name of the Service. */
export const servedAddresses = async (): Promise<readonly string[]> => {
  type Endpoint = { readonly addresses: readonly string[]; readonly conditions: { readonly ready: boolean } };
  const slices = await itemsOf<Named & { readonly endpoints: readonly Endpoint[] | null }>('endpointslices');
  return slices
    .flatMap(({ metadata, endpoints }) =>
      (endpoints ?? []).filter(({ conditions }) => conditions.ready).map(({ addresses }) => `${metadata.name} ${addresses.join()}`),
    )
    .sort();
};

/** Gives two replicas to each service of the installation for the tests of a block, and then one again. */
export const useTwoReplicas = (): void => {
  const give = (replicas: number) => async (): Promise<void> => {
    const values = replicatedServices.flatMap((service) => ['--set', `${service}.replicas=${replicas}`]);
    await change('upgrade', chart, '--reuse-values', ...values);
    await untilAvailable();
  };
  beforeAll(give(2), changeMs);
  afterAll(give(1), changeMs);
};

export const untilAvailable = (): Promise<number> =>
  until('all pods serve', availableWithinMs, async () => (await workloads()).every(({ wanted, available }) => available >= wanted));

/** Sets the number of pods of each service that may have several. */
export const scale = async (replicas: number): Promise<void> => {
  const names = (await workloads()).map(({ name }) => name).filter((name) => !['operator', 'notary'].includes(name));
  await kubectl(['-n', namespace, 'scale', `--replicas=${replicas}`, ...names.map((name) => `deployment/${release}-waymark-${name}`)]);
};

/** Deletes a pod as an operator does: it stops by itself.
 * @param waits whether this waits until it has stopped */
export const deletePod = ({ name }: Pod, waits = false): Promise<unknown> =>
  kubectl(['-n', namespace, 'delete', 'pod', name, `--wait=${waits}`]);

/** Fills the /tmp of a pod.
 * @throws if it does not become full */
export const fillTmp = async ({ name }: Pod): Promise<void> => {
  const filling = kubectl(['-n', namespace, 'exec', name, '--', 'dd', 'if=/dev/zero', 'of=/tmp/full', 'bs=64k', 'count=16384']);
  await filling.then(
    () => Promise.reject(new Error(`The /tmp of ${name} takes a gigabyte.`)),
    (error: Error) => {
      if (!error.message.includes('No space left on device')) throw error;
    },
  );
};

/** Runs a change of the release with helm, and waits until all pods of the new revision serve. */
export const change = async (verb: 'upgrade' | 'rollback', ...words: readonly string[]): Promise<void> => {
  try {
    await helmOnNode([verb, release, ...words, '--namespace', namespace, '--wait', '--timeout', changeWithin]);
  } catch (error) {
    const { stdout } = await kubectl(['-n', namespace, 'get', 'pods,events']);
    throw new Error(`${(error as Error).message}\n${stdout}`, { cause: error });
  }
};
