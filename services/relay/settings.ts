import { Type } from '@sinclair/typebox';
import {
  eventStoreSettings,
  kafkaSettings,
  processSettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

/** The settings of a relay. */
export const relaySettings = settingsOf(
  Type.Object({ ...processSettings, ...eventStoreSettings, ...kafkaSettings, ...redisSettings, ...signingSettings }),
);
