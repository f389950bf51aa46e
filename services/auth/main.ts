import { createApp } from '@waymark/http/app.ts';
import { bearer } from '@waymark/http/bearer.ts';
import { addressesOf, answering, baseOf, edgeOf, requestsLimit } from '@waymark/process/api.ts';
import { runProcess } from '@waymark/process/run.ts';
import { openWorld } from '@waymark/process/world.ts';
import { authRoutes, failuresQuota, requestsQuota } from './app.ts';
import { authSettings } from './settings.ts';

/** Tokens. */
await runProcess(
  {
    name: 'auth',
    settings: authSettings,
    start: async (context) => {
      const { settings } = context;
      const world = await openWorld(context, { waitMs: 0, readsOnly: false, rateLimits: settings.WAYMARK_RATE_LIMITS });
      const addresses = addressesOf(context);
      const app = createApp({
        ...edgeOf(context),
        addressOf: addresses.of,
        authenticate: bearer(world.tokens, world.applications),
        rateLimit: requestsLimit(context, world),
        routes: {},
        open: authRoutes({
          tokens: world.tokens,
          applications: world.applications,
          addresses,
          base: baseOf(context),
          requests: world.limited(requestsQuota),
          failures: world.limited(failuresQuota),
        }),
      });
      return answering(context, world, app, { needed: [world.engines.log] });
    },
  },
  process.env,
);
