import { privateUmask } from '@waymark/files/private.ts';
import { readSettings } from '@waymark/runtime/settings.ts';
import { stopOnSignal } from '@waymark/runtime/signals.ts';
import { exitOnStartupFailure } from '@waymark/runtime/startup-failure.ts';
import { stopMs } from '@waymark/runtime/stop-times.ts';
import { destination, pino } from 'pino';
import { NoEdge } from '../../deploy/edge/check.ts';
import { startNginx } from './nginx.ts';
import { edgeSettings } from './settings.ts';

/** Runs nginx as the edge of a cluster until SIGTERM or SIGINT stops it. From then on, every response ends its connection, so that clients
 * open the next one elsewhere. nginx stops after the drain: it closes its listening socket at once. */
const run = (environment: NodeJS.ProcessEnv): void => {
  process.umask(privateUmask);
  const settings = readSettings(edgeSettings, environment);
  const lines = destination({ fd: 2, sync: false });
  const logger = pino({ level: settings.WAYMARK_LOG_LEVEL, base: { service: 'edge' } }, lines);
  const nginx = startNginx(settings);
  const exit = (code: number): void => {
    nginx.end();
    lines.flushSync();
    process.exit(code);
  };
  let isStopping = false;
  stopOnSignal({
    drainMs: settings.WAYMARK_DRAIN_SECONDS * 1_000,
    stopMs: stopMs(settings),
    drain: () => {
      isStopping = true;
      try {
        nginx.close();
      } catch (error) {
        logger.error({ err: error }, 'connections stay open during the drain: WAYMARK_EDGE_DIR cannot be written to');
      }
      return true;
    },
    close: nginx.quit,
    exit,
  });
  void nginx.ended.then((reason) => {
    if (isStopping) return;
    logger.fatal({ reason }, 'nginx has ended: the process ends');
    exit(1);
  });
  logger.info({ host: settings.WAYMARK_HOST, port: settings.WAYMARK_PORT }, 'started');
};

try {
  run(process.env);
} catch (error) {
  exitOnStartupFailure(error, (failed) => failed instanceof NoEdge);
}
