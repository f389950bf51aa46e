import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inherited } from '../engines/environment.ts';

/** A command that runs a node of Kubernetes: `$WAYMARK_NODE_CONTROL ctl get pods` is kubectl, and `… run CMD` runs a command in its network. */
const control = process.env['WAYMARK_NODE_CONTROL'] ?? '';

/** Declares tests that need a node and helm. */
export const describeOnNode = (title: string, body: () => void): void => {
  const hasHelm = spawnSync(helmProgram, ['version'], { stdio: 'ignore' }).status === 0;
  const missing = [...(control ? [] : ['WAYMARK_NODE_CONTROL']), ...(hasHelm ? [] : ['WAYMARK_HELM'])];
  if (missing.length === 0) describe(title, body);
  else describe.skip(`${title} (left out: needs ${missing.join(', ')})`, body);
};

const helmProgram = process.env['WAYMARK_HELM'] || 'helm';

/** Returns the definitions of the Gateway API, from the file beside the command. Nothing separates them there. */
export const gatewayApi = (): string =>
  readFileSync(join(dirname(control), 'gateway-api.yaml'), 'utf8').replaceAll(/^apiVersion:/gm, '---\n$&');

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const onNode = (words: readonly string[], input: string): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { NODE_STATE } = process.env;
    const child = spawn(control, words, { env: { ...inherited, NODE_STATE, HOME: tmpdir() } });
    const texts = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      texts.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      texts.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts }));
    child.stdin.end(input);
  });

/** Runs kubectl.
 * @throws where it fails, with its message */
export const kubectl = async (words: readonly string[], input = ''): Promise<Outcome> => {
  const outcome = await onNode(['ctl', ...words], input);
  if (outcome.code !== 0) throw new Error(outcome.stderr);
  return outcome;
};

/** Runs helm in the node's network.
 * @throws where it fails, with its message */
export const helmOnNode = async (words: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await onNode(['run', helmProgram, ...words], '');
  if (code !== 0) throw new Error(stderr);
  return stdout;
};

/** Returns functions that run helm and kubectl in a namespace, each with its output as the result.
 * @throws where one fails, with its message */
export const inNamespace = (namespace: string) => ({
  helm: (...words: readonly string[]): Promise<string> => helmOnNode([...words, '--namespace', namespace]),
  onNode: async (...words: readonly string[]): Promise<string> => (await kubectl(['-n', namespace, ...words])).stdout,
});

/** Makes a namespace that enforces the restricted standard, for the tests of a file. Returns its name. */
export const useNamespace = (): string => {
  const name = `waymark-${randomBytes(4).toString('hex')}`;
  const labels = Object.fromEntries(['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']));
  beforeAll(() => kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })));
  afterAll(() => kubectl(['delete', 'namespace', name, '--wait=false']));
  return name;
};
