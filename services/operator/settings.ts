import { Type } from '@sinclair/typebox';
import {
  apiSettings,
  eventStoreSettings,
  kafkaSettings,
  mediaSettings,
  mongoSettings,
  operatorTokenSettings,
  processSettings,
  redisSettings,
  refusalsSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
  waitSettings,
} from '@waymark/runtime/common-settings.ts';
import { verifierSettings } from '@waymark/runtime/notary-settings.ts';

/** The settings of the operator service. */
export const operatorSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...eventStoreSettings,
    ...kafkaSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...mediaSettings,
    ...waitSettings,
    ...refusalsSettings,
    ...requestIdSettings,
    ...verifierSettings,
    ...operatorTokenSettings,
    WAYMARK_PUBLIC_URL: apiSettings.WAYMARK_PUBLIC_URL,
    WAYMARK_SERVICES: Type.String({
      default: '',
      pattern: '^([\\w-]+=https?://[^,]+(,(?!$)|$))*$',
      description: 'The processes of the cluster, each with the base URL of its operator port: name=http://host:port, separated by commas',
    }),
  }),
);
