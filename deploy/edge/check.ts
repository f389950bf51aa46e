import { spawnSync } from 'node:child_process';

/** nginx is missing, or rejects its configuration. */
export class NoEdge extends Error {}

/** Lets nginx check its configuration.
 * @param nginx the executable
 * @param parameters those with which it will be started
 * @throws NoEdge */
export const checkEdge = (nginx: string, parameters: readonly string[]): void => {
  const { error, status, stderr } = spawnSync(nginx, [...parameters, '-t'], { encoding: 'utf8' });
  if (error)
    throw new NoEdge(`nginx, which serves as the edge, cannot be started (${error.message}). Set WAYMARK_NGINX to another executable.`);
  if (status !== 0) throw new NoEdge(`nginx rejects its configuration:\n${stderr}`);
};
