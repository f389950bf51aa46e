import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubernetesObject } from './helm.ts';

const discovery: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [{ name: 'apps', versions: [{ groupVersion: 'apps/v1', version: 'v1' }] }] },
  '/apis/apps/v1': {
    kind: 'APIResourceList',
    groupVersion: 'apps/v1',
    resources: ['StatefulSet', 'Deployment'].map((kind) => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['get'] })),
  },
};
const notFound = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

/** A server of Kubernetes' API that has workloads, for the lookups of templates: `more` is for `render`. */
export type KubernetesApi = { readonly more: readonly string[]; readonly close: () => void };

/** Serves the workloads, each under its kind and name, in any namespace. */
export const serveKubernetes = async (objects: readonly KubernetesObject[]): Promise<KubernetesApi> => {
  const server: Server = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?');
    const live = objects.find(({ kind, metadata: { name } }) => path.endsWith(`/${kind.toLowerCase()}s/${name}`));
    const found = discovery[path] ?? live;
    response.writeHead(found === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(found ?? notFound));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { more: ['--dry-run=server', '--kube-apiserver', `http://127.0.0.1:${port}`], close: () => void server.close() };
};
