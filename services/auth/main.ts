import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { apiAdmission, baseOf, lifecycleOptions, refusalRecorder, requestsLimit, serveApi } from '@waymark/cluster-runtime/api.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { createApp } from '@waymark/http/app.ts';
import { createRequestIdHash } from '@waymark/http/request-id-hash.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { authRoutes, requestsQuota } from './app.ts';
import { authSettings } from './settings.ts';

/** Runs the auth service, which issues tokens. */
await runProcess(
  {
    name: 'auth',
    settings: authSettings,
    start: async (context) => {
      const { settings } = context;
      const clusterContext = await openClusterContext(context, { waitMs: 0, readsOnly: false, rateLimits: settings.WAYMARK_RATE_LIMITS });
      const admission = apiAdmission(context, clusterContext);
      const recorder = refusalRecorder(context, clusterContext);
      const app = createApp({
        ...lifecycleOptions(context, clusterContext),
        addressOf: admission.addresses.of,
        authenticate: createBearerAuthentication(clusterContext.tokens, clusterContext.applications, admission, memoryBytesOf(settings)),
        rateLimit: requestsLimit(context, clusterContext),
        routes: {},
        openRoutes: authRoutes({
          tokens: clusterContext.tokens,
          applications: clusterContext.applications,
          admission,
          base: baseOf(context),
          noteRefused: recorder.note,
          hashRequestId: createRequestIdHash(splitList(settings.WAYMARK_REQUEST_ID_KEY)),
          requests: clusterContext.limited(requestsQuota),
        }),
      });
      return serveApi(context, clusterContext, app, { admission, needed: [clusterContext.engines.log], recorder });
    },
  },
  process.env,
);
