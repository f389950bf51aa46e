import type { KubernetesObject } from './helm.ts';

type Source = { readonly secret: { readonly name: string; readonly items: readonly { readonly key: string; readonly path: string }[] } };
export type Container = {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: Readonly<Record<string, unknown>> }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly limits: Readonly<Record<string, string>>; readonly requests: Readonly<Record<string, string>> };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string } };
  readonly livenessProbe?: {
    readonly httpGet?: { readonly path: string };
    readonly timeoutSeconds: number;
    readonly failureThreshold: number;
  };
  readonly startupProbe?: { readonly periodSeconds: number; readonly failureThreshold: number };
  readonly envFrom?: unknown;
  readonly terminationMessagePolicy: string;
};
export type Volume = {
  readonly name: string;
  readonly projected?: { readonly sources: readonly Source[] };
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
} & Readonly<Record<string, unknown>>;
export type PodSpec = {
  readonly automountServiceAccountToken: boolean;
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [Container];
  readonly volumes: readonly Volume[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
};
export type Pod = { readonly name: string; readonly spec: PodSpec; readonly container: Container };

/** Returns the pods that objects make, by the names of the objects. */
export const podsOf = (objects: readonly KubernetesObject[]): readonly Pod[] =>
  objects.flatMap(({ kind, metadata: { name }, spec }) => {
    if (!['Pod', 'Deployment', 'StatefulSet'].includes(kind)) return [];
    const pod = (kind === 'Pod' ? spec : (spec['template'] as { readonly spec: PodSpec }).spec) as PodSpec;
    return [{ name, spec: pod, container: pod.containers[0] }];
  });

/** Returns the environment of a pod, without what Kubernetes computes. */
export const environmentOf = ({ container: { env } }: Pod): Readonly<Record<string, string>> =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));

/** Returns the files with secrets that a pod mounts, each with `secret/entry`. */
export const secretFilesOf = ({ spec }: Pod): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (spec.volumes.find(({ name }) => name === 'secrets')?.projected?.sources ?? []).flatMap(({ secret }) =>
      secret.items.map(({ key, path }) => [`/etc/waymark/secrets/${path}`, `${secret.name}/${key}`]),
    ),
  );

/** Returns the pod of an object. */
export const podNamed = (objects: readonly KubernetesObject[], name: string): Pod => {
  const found = podsOf(objects).find((pod) => pod.name === name);
  if (found === undefined) throw new Error(`no pod of ${name}`);
  return found;
};
