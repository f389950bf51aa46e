import { Type } from '@sinclair/typebox';
import {
  eventStoreSettings,
  kafkaSettings,
  processSettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

/** What a relay is told. */
export const relaySettings = settingsOf(
  Type.Object({ ...processSettings, ...eventStoreSettings, ...kafkaSettings, ...redisSettings, ...signingSettings }),
);
