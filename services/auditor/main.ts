import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { apiAdmission, baseOf, lifecycleOptions, requestsLimit, serveApi } from '@waymark/cluster-runtime/api.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { proofStore } from '@waymark/cluster-runtime/connections.ts';
import { createHealthCheck } from '@waymark/cluster-runtime/health-check.ts';
import { openHistoryReads } from '@waymark/cluster-runtime/history-reads.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import { createApp } from '@waymark/http/app.ts';
import { createSeals } from '@waymark/http/paging/seals.ts';
import { storedRequestIds } from '@waymark/http/request-id-hash.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { createStreamSource } from './activity-stream/cluster-source.ts';
import { auditorRoutes } from './app.ts';
import { accountQuestionsMax, questionsMax, waitersMax, waitMs } from './limits.ts';
import { auditorSettings } from './settings.ts';

/** Serves reads of the history. */
await runProcess(
  {
    name: 'auditor',
    settings: auditorSettings,
    start: async (context) => {
      const { settings } = context;
      const clusterContext = await openClusterContext(context, {
        waitMs: 0,
        readsOnly: true,
        rateLimits: settings.WAYMARK_RATE_LIMITS,
      });
      const past = openHistoryReads(context, clusterContext, { waitMs, waitersMax });
      const trees = proofStore(context);
      const admission = apiAdmission(context, clusterContext);
      const { tokens, applications, amounts, incarnation, engines, reading } = clusterContext;
      const authenticate = createBearerAuthentication(tokens, applications, admission, memoryBytesOf(settings));
      const keys = splitList(settings.WAYMARK_CURSOR_KEY);
      const limited = createQuestionLimit({ questionsMax, accountQuestionsMax });
      const app = createApp({
        ...lifecycleOptions(context, clusterContext),
        addressOf: admission.addresses.of,
        authenticate,
        rateLimit: requestsLimit(context, clusterContext),
        routes: auditorRoutes({
          ask: (question) => limited(question.account, () => past.ask(question)),
          seals: createSeals(keys, incarnation),
          streams: { source: createStreamSource(past.history.live), authenticate, amounts, closing: context.closing, keys, incarnation },
          proofs: { reads: trees, log: clusterContext.log },
          storedRequestIds: (text) => storedRequestIds(splitList(settings.WAYMARK_REQUEST_ID_KEY), text),
          log: clusterContext.log,
          refusals: { days: settings.WAYMARK_REFUSALS_DAYS },
          base: baseOf(context),
        }),
        openRoutes: [],
      });
      const engine = createHealthCheck('History', () => past.history.live.position(0));
      const part = await serveApi(context, clusterContext, app, {
        admission,
        needed: [engines.readSide, engine],
        readings: [reading, past.reading],
      });
      return {
        ...part,
        close: async () => {
          await part.close();
          engine.close();
          await Promise.all([past.close(), trees.close()]);
        },
      };
    },
  },
  process.env,
);
