import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  cursorSettings,
  eventStoreSettings,
  mongoSettings,
  processSettings,
  proxyFaultsIn,
  proxySettings,
  redisSettings,
  refusalsSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

/** The settings of an auditor. */
export const auditorSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...apiSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...proxySettings,
    ...cursorSettings,
    ...requestIdSettings,
    ...refusalsSettings,
  }),
  proxyFaultsIn,
);
