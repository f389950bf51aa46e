import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  eventStoreSettings,
  mongoSettings,
  processSettings,
  proxyFaultsIn,
  proxySettings,
  recordingSettings,
  redisSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

/** The settings of the auth service. */
export const authSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...apiSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...proxySettings,
    ...requestIdSettings,
    ...recordingSettings,
  }),
  proxyFaultsIn,
);
