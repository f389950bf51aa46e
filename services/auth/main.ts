import { createBearerAuthentication } from '@waymark/access/bearer.ts';
import { answering, apiAdmission, baseOf, edgeOf, requestsLimit } from '@waymark/cluster-runtime/api.ts';
import { openClusterContext } from '@waymark/cluster-runtime/cluster-context.ts';
import { runProcess } from '@waymark/cluster-runtime/run.ts';
import { createApp } from '@waymark/http/app.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import { authRoutes, requestsQuota } from './app.ts';
import { authSettings } from './settings.ts';

/** Runs the auth service, which issues tokens. */
await runProcess(
  {
    name: 'auth',
    settings: authSettings,
    start: async (context) => {
      const { settings } = context;
      const world = await openClusterContext(context, { waitMs: 0, readsOnly: false, rateLimits: settings.WAYMARK_RATE_LIMITS });
      const admission = apiAdmission(context, world);
      const app = createApp({
        ...edgeOf(context),
        addressOf: admission.addresses.of,
        authenticate: createBearerAuthentication(world.tokens, world.applications, admission, memoryBytesOf(settings)),
        rateLimit: requestsLimit(context, world),
        routes: {},
        open: authRoutes({
          tokens: world.tokens,
          applications: world.applications,
          admission,
          base: baseOf(context),
          requests: world.limited(requestsQuota),
        }),
      });
      return answering(context, world, app, { admission, needed: [world.engines.log] });
    },
  },
  process.env,
);
