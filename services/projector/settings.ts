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

/** What a projector is told. */
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
