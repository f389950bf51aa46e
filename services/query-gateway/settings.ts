import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  cursorSettings,
  eventStoreSettings,
  mediaSettings,
  mongoSettings,
  processSettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/process/common-settings.ts';

/** What a query gateway is told. */
export const gatewaySettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...apiSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...mediaSettings,
    ...cursorSettings,
    WAYMARK_GATEWAY_CACHE: Type.Union([Type.Literal('on'), Type.Literal('off')], {
      default: 'on',
      description: 'Whether objects are kept in memory, to be given where the read side has not moved since: on or off',
    }),
  }),
);
