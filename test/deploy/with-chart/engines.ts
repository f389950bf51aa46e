import { execFileSync } from 'node:child_process';
import { inherited } from '../../engines/environment.ts';

/** The address of the node, at which its pods find what runs in its network. */
const address = '10.99.0.1';

export type Engines = {
  readonly host: string;
  /** The settings that name the engines, as pods read them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly stop: () => void;
};

/** Starts engines in the network of a node.
 * @param node the command that runs the node
 * @param engines the command that runs engines; it keeps their files in the directory that ENGINES_STATE names */
export const startEngines = (node: string, engines: string): Engines => {
  const run = (verb: string): string =>
    execFileSync(node, ['run', 'env', `ENGINES_HOST=${address}`, engines, verb], {
      encoding: 'utf8',
      env: { ...inherited, NODE_STATE: process.env['NODE_STATE'], ENGINES_STATE: process.env['ENGINES_STATE'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const settings = Object.fromEntries(
    [...run('up').matchAll(/^export (WAYMARK_\w+)='?([^'\n]+)'?$/gm)].map(([, name, value]) => [name, value]),
  );
  return { host: address, settings, stop: () => void run('down') };
};
