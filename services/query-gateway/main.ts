import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { knowledgeFreshMs } from '@waymark/access/limits.ts';
import { apiAdmission, baseOf, lifecycleOptions, requestsLimit, serveApi } from '@waymark/cluster-runtime/api.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { media as openMedia } from '@waymark/cluster-runtime/connections.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { release } from '@waymark/domain/release.ts';
import { openApiRoute } from '@waymark/http/api/openapi/document.ts';
import { createApp } from '@waymark/http/app.ts';
import { createEntityTags } from '@waymark/http/conditional-requests.ts';
import { limitedByAddress } from '@waymark/http/limited-routes.ts';
import { createCursors } from '@waymark/http/paging/cursors.ts';
import { completeFiles } from '@waymark/read-models/representations/files.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { gatewayRoutes, mediaRoute } from './app.ts';
import { gatewaySettings } from './settings.ts';

/** Serves reads. */
await runProcess(
  {
    name: 'query-gateway',
    settings: gatewaySettings,
    start: async (context) => {
      const { settings } = context;
      const clusterContext = await openClusterContext(context, {
        waitMs: 0,
        readsOnly: true,
        rateLimits: settings.WAYMARK_RATE_LIMITS,
        cached: settings.WAYMARK_GATEWAY_CACHE === 'on',
        // The result of a token lookup counts as fresh for `knowledgeFreshMs` after the lookup. The two times together make up the setting.
        knownTokenMs: Math.max(0, settings.WAYMARK_KNOWN_TOKEN_SECONDS * 1_000 - knowledgeFreshMs),
      });
      const media = await openMedia(context);
      const base = baseOf(context);
      const admission = apiAdmission(context, clusterContext);
      const app = createApp({
        ...lifecycleOptions(context, clusterContext),
        addressOf: admission.addresses.of,
        authenticate: createBearerAuthentication(clusterContext.tokens, clusterContext.applications, admission, memoryBytesOf(settings)),
        rateLimit: requestsLimit(context, clusterContext),
        routes: gatewayRoutes({
          models: clusterContext.models,
          tags: createEntityTags(clusterContext.incarnation, base),
          cursors: createCursors(splitList(settings.WAYMARK_CURSOR_KEY), clusterContext.incarnation),
          base,
          complete: (text) => completeFiles(text, base),
        }),
        openRoutes: limitedByAddress(admission, [mediaRoute(media), openApiRoute({ base, release })]),
      });
      const { engines, reading } = clusterContext;
      return serveApi(context, clusterContext, app, { admission, needed: [engines.readSide], readings: [reading], media });
    },
  },
  process.env,
);
