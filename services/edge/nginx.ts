import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '@waymark/files/private.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { checkEdge } from '../../deploy/edge/check.ts';
import { edgeArguments, edgeConfiguration } from '../../deploy/edge/render.ts';
import { giveToWorkers } from '../../deploy/edge/workers.ts';
import type { EdgeSettings } from './settings.ts';

/** nginx, which runs in the foreground. */
export type Nginx = {
  /** Lets every response end its connection from now on.
   * @throws the error of the file system */
  readonly close: () => void;
  /** Finishes the requests in progress. Resolves once nginx has ended. */
  readonly quit: () => Promise<void>;
  /** Ends nginx at once, where it runs. */
  readonly end: () => void;
  /** Resolves once nginx has ended, to the reason. */
  readonly ended: Promise<string>;
};

/** Starts nginx with the configuration for these settings.
 * @throws NoEdge, the error of the file system */
export const startNginx = (settings: EdgeSettings): Nginx => {
  const directory = settings.WAYMARK_EDGE_DIR;
  const configuration = join(directory, 'nginx.conf');
  const workers = freshWorkersDirectory(directory);
  const closingFlag = join(workers, 'closing');
  const [key = ''] = splitList(settings.WAYMARK_EDGE_KEY);
  writePrivate(
    configuration,
    edgeConfiguration({
      listen: `${inUrl(settings.WAYMARK_HOST)}:${settings.WAYMARK_PORT}`,
      directory: workers,
      upstreams: upstreamsOf(settings),
      behindServices: true,
      trusted: splitList(settings.WAYMARK_TRUSTED_PROXIES),
      key,
      closingFlag,
      ...(settings.WAYMARK_EDGE_WORKERS > 0 && { workers: settings.WAYMARK_EDGE_WORKERS }),
    }),
  );
  const parameters = edgeArguments(workers, configuration, join(directory, 'nginx.pid'));
  checkEdge(settings.WAYMARK_NGINX, parameters);
  // A separate process group: Ctrl-C in a terminal reaches this process only, which then drains.
  const nginx = spawn(settings.WAYMARK_NGINX, parameters, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise<string>((resolve) => {
    nginx.once('error', (error) => resolve(error.message));
    nginx.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return {
    close: () => writeFileSync(closingFlag, ''),
    quit: async () => {
      nginx.kill('SIGQUIT');
      await ended;
    },
    end: () => void nginx.kill('SIGTERM'),
    ended,
  };
};

/** Creates the directory that the workers write to, without what an earlier nginx has left behind. */
const freshWorkersDirectory = (directory: string): string => {
  const workers = join(directory, 'workers');
  rmSync(workers, { recursive: true, force: true });
  mkdirSync(workers, { recursive: true, mode: 0o700 });
  return giveToWorkers(workers);
};

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const upstreamsOf = (settings: EdgeSettings) => ({
  auth: [settings.WAYMARK_EDGE_AUTH],
  query: [settings.WAYMARK_EDGE_QUERY],
  auditor: [settings.WAYMARK_EDGE_AUDITOR],
  pinpoints: [settings.WAYMARK_EDGE_PINPOINTS],
  lists: [settings.WAYMARK_EDGE_LISTS],
  categories: [settings.WAYMARK_EDGE_CATEGORIES],
  events: [settings.WAYMARK_EDGE_EVENTS],
  audit: [settings.WAYMARK_EDGE_AUDIT],
});
