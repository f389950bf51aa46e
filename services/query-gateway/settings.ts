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
    WAYMARK_KNOWN_TOKEN_SECONDS: Type.Integer({
      default: 30,
      minimum: 0,
      maximum: 30,
      description:
        'How long reads go on with a token that the event store or Redis confirmed, where neither answers now, in seconds; 0: not at all',
    }),
    WAYMARK_GATEWAY_CACHE: Type.Union([Type.Literal('on'), Type.Literal('off')], {
      default: 'on',
      description: 'Whether objects are kept in memory, to be given where the read side has not moved since: on or off',
    }),
  }),
  proxyFaultsIn,
);
