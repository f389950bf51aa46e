import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { apiAdmission, baseOf, lifecycleOptions, refusalRecorder, requestsLimit, serveApi } from '@waymark/cluster-runtime/api.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { media as openMedia } from '@waymark/cluster-runtime/connections.ts';
import { createForeignObjectAlarm } from '@waymark/cluster-runtime/foreign-objects.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import type { CommandRole } from '@waymark/http/api/command-roles.ts';
import { createApp } from '@waymark/http/app.ts';
import { createEntityTags } from '@waymark/http/conditional-requests.ts';
import { createRequestIdHash } from '@waymark/http/request-id-hash.ts';
import { closable } from '@waymark/operations/write-gate.ts';
import { completeFiles } from '@waymark/read-models/representations/files.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { commandRoutes, runJobs } from './app.ts';
import { openHistory } from './history.ts';
import type { CommandsOptions } from './service.ts';
import { commandsSettings } from './settings.ts';

/** Handles writes, in one process for all resources or for some of them. */
await runProcess(
  {
    name: 'commands',
    settings: commandsSettings,
    start: async (context) => {
      const { settings } = context;
      const clusterContext = await openClusterContext(context, {
        waitMs: settings.WAYMARK_READ_WAIT_MS,
        readsOnly: false,
        takesWrites: true,
        rateLimits: settings.WAYMARK_RATE_LIMITS,
      });
      const memoryBytes = memoryBytesOf(settings);
      const media = await openMedia(context);
      const base = baseOf(context);
      const foreign = createForeignObjectAlarm(context);
      const roles = splitList(settings.WAYMARK_RESOURCES) as CommandRole[];
      const history = openHistory(context, clusterContext, roles);
      const stores = { ...clusterContext, log: clusterContext.writes.gated(clusterContext.log), media, askHistory: history.ask };
      const isAudit = roles.includes('audit');
      const jobs = isAudit ? runJobs({ ...stores, logger: context.logger, isAlone: false, onOwnerMismatch: foreign.found }) : undefined;
      const commands: CommandsOptions = {
        ...stores,
        tags: createEntityTags(clusterContext.incarnation, base),
        complete: (text: string) => completeFiles(text, base),
        idempotencyKey: settings.WAYMARK_IDEMPOTENCY_KEY,
        hashRequestId: createRequestIdHash(splitList(settings.WAYMARK_REQUEST_ID_KEY)),
        undoStarted: () => jobs?.wake(),
        memoryBytes,
        onOwnerMismatch: foreign.found,
      };
      const admission = apiAdmission(context, clusterContext);
      const recorder = refusalRecorder(context, clusterContext);
      // Accepts requests only after this. Until then, the edge sends them to other replicas.
      await clusterContext.facts?.waitUntilComparable(clusterContext.log, context.stopped);
      const app = createApp({
        ...lifecycleOptions(context, clusterContext),
        noteRefused: recorder.note,
        addressOf: admission.addresses.of,
        authenticate: createBearerAuthentication(clusterContext.tokens, clusterContext.applications, admission, memoryBytes),
        rateLimit: requestsLimit(context, clusterContext),
        routes: closable(clusterContext.writes, commandRoutes(commands, roles)),
        openRoutes: [],
      });
      const part = await serveApi(context, clusterContext, app, {
        admission,
        needed: [clusterContext.engines.log],
        media,
        writes: clusterContext.writes,
        recorder,
      });
      return {
        ...part,
        close: async () => {
          await jobs?.close();
          await part.close();
          await history.close();
        },
        warnings: foreign.warnings,
      };
    },
  },
  process.env,
);
