import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  cursorSettings,
  eventStoreSettings,
  mediaSettings,
  mongoSettings,
  processSettings,
  proxyFaultsIn,
  proxySettings,
  redisSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

/** The settings of a query gateway. */
export const gatewaySettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...apiSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...proxySettings,
    ...mediaSettings,
    ...cursorSettings,
    ...requestIdSettings,
    WAYMARK_KNOWN_TOKEN_SECONDS: Type.Integer({
      default: 30,
      minimum: 0,
      maximum: 30,
      description:
        'How long reads continue with a token that the event store or Redis confirmed while neither of them answers, in seconds; 0: not at all',
    }),
    WAYMARK_GATEWAY_CACHE: Type.Union([Type.Literal('on'), Type.Literal('off')], {
      default: 'on',
      description: 'Whether objects are cached in memory, to be served while the read models have not changed: on or off',
    }),
  }),
  proxyFaultsIn,
);
