import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  eventStoreSettings,
  mongoSettings,
  processSettings,
  proxySettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/process/common-settings.ts';
import { proxyFaults } from './addresses.ts';

/** What an auth service is told. */
export const authSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...apiSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...proxySettings,
  }),
  (read) => proxyFaults(read.WAYMARK_TRUSTED_PROXIES),
);
