import { Type } from '@sinclair/typebox';
import {
  eventStoreSettings,
  kafkaSettings,
  mongoSettings,
  processSettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/process/common-settings.ts';

/** What a projector is told. */
export const projectorSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...eventStoreSettings,
    ...kafkaSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    WAYMARK_GRACE_SECONDS: Type.Integer({
      default: 600,
      minimum: 0,
      maximum: 86_400,
      description: 'How long readers of an older projection may keep a change of projections waiting, in seconds',
    }),
  }),
);
