import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { caOf, eventStore, proofStore } from '@waymark/cluster-runtime/connections.ts';
import { createHealthCheck, engineStates } from '@waymark/cluster-runtime/health-check.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { unfinishedImports } from '@waymark/operations/import/unfinished.ts';
import { addNotaryMetrics, parseNotaryKeys, startNotary } from './app.ts';
import { notaryProcessSettings } from './settings.ts';

/** Signs checkpoints of EventStoreDB. One notary signs at a time; another one, for a time, does no harm. */
await runProcess(
  {
    name: 'notary',
    settings: notaryProcessSettings,
    start: async (context) => {
      const { settings, logger, registry } = context;
      const log = eventStore(context);
      const directory = notaryDirectory(settings.WAYMARK_NOTARY_DIR);
      const place = settings.WAYMARK_CHECKPOINTS_TO;
      if (place === '')
        logger.warn('checkpoints are published nowhere: set WAYMARK_CHECKPOINTS_TO, so that others can tell whether the log was replaced');
      const engines = [createHealthCheck('Event store', () => log.state())];
      const notary = startNotary({
        ...{ log, logger, ...directory },
        unfinishedImports: () => unfinishedImports(log),
        openPlace: place === '' ? undefined : () => openPlace(place, caOf(settings)),
        openStore: async () => proofStore(context),
        seeds: () => parseNotaryKeys(settings.WAYMARK_NOTARY_KEY || directory.key()),
        intervalMs: settings.WAYMARK_NOTARY_SECONDS * 1_000,
      });
      addNotaryMetrics(registry, notary.status);
      return {
        notReady: () => [],
        warnings: () => {
          const { reason } = notary.status();
          return reason === undefined ? [] : [`The notary signs nothing: ${reason}`];
        },
        stats: () => ({ engines: engineStates(engines), verifierKeys: directory.verifierKeys(), ...notary.status() }),
        close: async () => {
          await notary.close();
          for (const { close } of engines) close();
          await log.close();
        },
      };
    },
  },
  process.env,
);
