import { type ExecFileException, execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { inherited } from '../engines/environment.ts';

export const chart = join(import.meta.dirname, '../../deploy/helm/waymark');
export const examples = join(import.meta.dirname, '../../deploy/helm/examples');
/** The version of Kubernetes that manifests are rendered for. */
const kubeVersion = '1.34.0';
const outputBytesMax = 64 * 1024 * 1024;

const helm = process.env['WAYMARK_HELM'] || 'helm';

/** Declares tests that need helm: the program that WAYMARK_HELM names, or `helm` of the PATH. */
export const describeWithHelm = (title: string, body: () => void): void => {
  if (spawnSync(helm, ['version'], { stdio: 'ignore' }).status === 0) describe(title, body);
  else describe.skip(`${title} (left out: needs helm, WAYMARK_HELM)`, body);
};

/** An object of Kubernetes, as far as tests read it. */
export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
};

export type Values = Readonly<Record<string, unknown>>;
export type Rendering = {
  readonly release?: string;
  readonly namespace?: string;
  /** Directory of the chart, if it is another one. */
  readonly of?: string;
  /** Files with values, before those that are given as an object. */
  readonly files?: readonly string[];
  readonly more?: readonly string[];
};

/** Runs helm, and returns its output.
 * @throws with its message */
export const runHelm = async (words: readonly string[]): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(helm, words, { maxBuffer: outputBytesMax, env: { ...inherited, HOME: tmpdir() } });
    return stdout;
  } catch (error) {
    throw new Error((error as ExecFileException).stderr || (error as Error).message);
  }
};

/** Renders the chart with values. */
export const renderText = async (values: Values, rendering: Rendering = {}): Promise<string> => {
  const { release = 'maps', namespace = 'city', of = chart, files = [], more = [] } = rendering;
  const directory = mkdtempSync(join(tmpdir(), 'waymark-helm-'));
  const file = join(directory, 'values.yaml');
  // Helm reads YAML 1.1, to which `y` and `on` are booleans.
  writeFileSync(file, stringify(values, { version: '1.1' }));
  const named = [...files, file].flatMap((name) => ['--values', name]);
  try {
    return await runHelm(['template', release, of, '--namespace', namespace, '--kube-version', kubeVersion, ...named, ...more]);
  } finally {
    rmSync(directory, { recursive: true });
  }
};

/** Returns the objects of a text with manifests. */
export const objectsOf = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text, { uniqueKeys: true }).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(document.errors.join('\n'));
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });

export const render = async (values: Values, rendering: Rendering = {}): Promise<readonly KubernetesObject[]> =>
  objectsOf(await renderText(values, rendering));

/** Values of a small cluster, and of standalone. */
export const standalone = { image: { repository: 'registry.example/waymark' } };
export const cluster = {
  ...standalone,
  mode: 'cluster',
  publicUrl: 'https://maps.example',
  keys: { existingSecret: 'waymark-keys' },
  eventStore: { existingSecret: 'eventstore', entries: { url: 'address' } },
  kafka: { brokers: 'kafka:9093', tls: 'on', username: 'waymark', existingSecret: 'kafka', entries: { password: 'password' } },
  mongodb: { existingSecret: 'mongodb', entries: { url: 'connectionString' } },
  redis: { url: 'rediss://redis:6379' },
  media: { url: 's3+https://s3.example/bucket' },
  authorities: { existingConfigMap: 'authorities' },
};
