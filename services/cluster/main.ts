import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { privateUmask, writePrivate } from '@waymark/files/private.ts';
import { DirectoryRefused, ownDirectory } from '@waymark/runtime/directory.ts';
import { DirectoryInUse } from '@waymark/runtime/lock.ts';
import { toOperatorFile } from '@waymark/runtime/operator-file.ts';
import { readSettings, splitList } from '@waymark/runtime/settings.ts';
import { stopOnSignal } from '@waymark/runtime/signals.ts';
import { exitOnStartupFailure } from '@waymark/runtime/startup-failure.ts';
import { destination, pino } from 'pino';
import { NoEdge } from '../../deploy/edge/check.ts';
import { type Child, keepRunning } from './child.ts';
import { prepareEdge } from './edge.ts';
import { layout, stopWithinMs } from './layout.ts';
import { freePorts } from './ports.ts';
import { superviseReplicas } from './replicas.ts';
import { clusterSettings } from './settings.ts';
import { keysFile, sharedSecrets } from './shared-secrets.ts';
import type { Upstreams } from './upstreams.ts';

const readyEveryMs = 200;
const readyAskedMs = 2_000;
/** The phases of `stopAll`: the edge, the services, the pipeline. One more, so that the limits of the processes expire before the limit of
 * the cluster. */
const stopPhases = 4;

/** Runs every service of a cluster as a separate process on this machine, behind the edge, until a signal stops it. */
export const runCluster = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  try {
    await run(environment);
  } catch (error) {
    exitOnStartupFailure(
      error,
      (failed) => failed instanceof DirectoryInUse || failed instanceof DirectoryRefused || failed instanceof NoEdge,
    );
  }
};

const run = async (environment: NodeJS.ProcessEnv): Promise<void> => {
  process.umask(privateUmask);
  const settings = readSettings(clusterSettings, environment);
  const lines = destination({ fd: 2, sync: false });
  const logger = pino({ level: settings.WAYMARK_LOG_LEVEL, base: { service: 'cluster' } }, lines);
  const { path: directory, release } = ownDirectory(settings.WAYMARK_DATA_DIR, (warning) => logger.warn(warning));
  const operatorFile = join(directory, 'operator.json');

  const port = settings.WAYMARK_PORT === 0 ? ((await freePorts(settings.WAYMARK_HOST, 1))[0] ?? 0) : settings.WAYMARK_PORT;
  const api = `http://${settings.WAYMARK_HOST}:${port}`;
  const secrets = sharedSecrets(settings, keysFile(directory));
  const { children, upstreams, addresses, operatorUrl } = await layout(settings, secrets, settings.WAYMARK_PUBLIC_URL ?? api);
  const [[token = ''], [key = '']] = [splitList(secrets.operatorToken), splitList(secrets.edgeKey)];
  const edge = prepareEdge({ settings, port, directory, upstreams, key, stopWithinMs: stopWithinMs(settings, 'edge') });

  writePrivate(operatorFile, toOperatorFile({ url: operatorUrl, token, api, pid: process.pid }));
  const closing = new AbortController();
  const front = keepRunning(edge.plan, logger, closing.signal);
  const route = (to: Upstreams): Promise<void> => edge.route(to, front.pid(), closing.signal);
  const supervision = superviseReplicas({ upstreams, addresses, route, stopped: closing.signal, logger });
  const running = children.map((plan) => keepRunning(plan, logger, closing.signal, supervision));
  stopOnSignal({
    // Each process drains by itself, and is killed if it does not end.
    drainMs: 0,
    stopMs: stopPhases * Math.max(edge.plan.stopWithinMs, ...children.map((plan) => plan.stopWithinMs)),
    drain: () => false,
    close: async () => {
      closing.abort();
      rmSync(operatorFile, { force: true });
      await stopAll(front, running);
      edge.remove();
      release();
    },
    exit: (code) => {
      lines.flushSync();
      process.exit(code);
    },
  });
  await ready(operatorUrl, closing.signal);
  if (!closing.signal.aborted) announce(api, directory, operatorUrl, running);
};

/** Stops the edge first: the services finish the requests that it has accepted, and then the relay, the projectors and the notary process the
 * events of these requests. */
const stopAll = async (edge: Child, children: readonly Child[]): Promise<void> => {
  const isPipeline = ({ name }: Child): boolean => /^(relay|projector|notary)/.test(name);
  await edge.stop();
  await Promise.all(children.filter((one) => !isPipeline(one)).map((one) => one.stop()));
  await Promise.all(children.filter(isPipeline).map((one) => one.stop()));
};

const ready = async (operatorUrl: string, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const answer = await fetch(`${operatorUrl}/readyz`, { signal: AbortSignal.timeout(readyAskedMs) }).catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(readyEveryMs, undefined, { signal }).catch(() => undefined);
  }
};

const announce = (api: string, directory: string, operatorUrl: string, children: readonly Child[]): void => {
  const lines = [
    '',
    `Waymark's cluster is ready at ${api}`,
    `  processes  ${children.map(({ name }) => name).join(', ')} and the edge`,
    `  operator   ${operatorUrl}  (health, metrics, commands; its token is in ${join(directory, 'operator.json')})`,
    '',
    'To create an application that can call the API:',
    `  WAYMARK_DATA_DIR='${directory}' npx waymark app create --account demo --name First --scopes "read write"`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
};

if (import.meta.main) await runCluster(process.env);
