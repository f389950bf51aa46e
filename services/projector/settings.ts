import { Type } from '@sinclair/typebox';
import {
  eventStoreSettings,
  graceSettings,
  kafkaSettings,
  mongoSettings,
  processSettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

/** The settings of a projector. */
export const projectorSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...eventStoreSettings,
    ...kafkaSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...graceSettings,
  }),
);
