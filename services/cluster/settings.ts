import { type Static, Type } from '@sinclair/typebox';
import {
  apiSettings,
  cursorSettings,
  eventStoreSettings,
  graceSettings,
  idempotencySettings,
  kafkaSettings,
  mediaSettings,
  mongoSettings,
  operatorTokenSettings,
  processSettings,
  proxySettings,
  redisSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';

const schema = Type.Object({
  WAYMARK_HOST: apiSettings.WAYMARK_HOST,
  WAYMARK_PORT: apiSettings.WAYMARK_PORT,
  WAYMARK_OPS_HOST: processSettings.WAYMARK_OPS_HOST,
  WAYMARK_OPS_PORT: Type.Integer({
    default: 8081,
    minimum: 0,
    maximum: 65_500,
    description: 'Port of the operator API; the ports of the processes follow it; 0: any free ports',
  }),
  WAYMARK_OPS_TOKEN: Type.Optional(operatorTokenSettings.WAYMARK_OPS_TOKEN),
  WAYMARK_STATUS_TOKEN: Type.Optional(processSettings.WAYMARK_STATUS_TOKEN),
  WAYMARK_DATA_DIR: Type.String({
    default: 'waymark-data',
    minLength: 1,
    description: 'Directory of the keys that the processes share, and of the file by which commands find the cluster',
  }),
  WAYMARK_PUBLIC_URL: Type.Optional(apiSettings.WAYMARK_PUBLIC_URL),
  WAYMARK_LOG_LEVEL: processSettings.WAYMARK_LOG_LEVEL,
  WAYMARK_MEMORY_MB: processSettings.WAYMARK_MEMORY_MB,
  WAYMARK_DRAIN_SECONDS: { ...processSettings.WAYMARK_DRAIN_SECONDS, default: 2 },
  WAYMARK_STOP_SECONDS: processSettings.WAYMARK_STOP_SECONDS,
  ...graceSettings,
  WAYMARK_COMMANDS: Type.Union([Type.Literal('one'), Type.Literal('each')], {
    default: 'one',
    description: 'Command services: one for all writes, or one for each resource and for the writes under /audit/v1: one or each',
  }),
  WAYMARK_REPLICAS: Type.String({
    default: '',
    pattern: '^((commands|relay|projector|notary|query-gateway|auditor|auth)=[1-9](,(?!$)|$))*$',
    description: 'Number of processes of a service, if more than one: query-gateway=2,projector=2',
  }),
  ...proxySettings,
  WAYMARK_NGINX: Type.String({ default: 'nginx', minLength: 1, description: 'The nginx executable of the edge' }),
  ...eventStoreSettings,
  ...kafkaSettings,
  ...mongoSettings,
  ...redisSettings,
  ...mediaSettings,
  WAYMARK_CURSOR_KEY: Type.Optional(cursorSettings.WAYMARK_CURSOR_KEY),
  WAYMARK_IDEMPOTENCY_KEY: Type.Optional(idempotencySettings.WAYMARK_IDEMPOTENCY_KEY),
  WAYMARK_REQUEST_ID_KEY: Type.Optional(requestIdSettings.WAYMARK_REQUEST_ID_KEY),
  WAYMARK_SIGNING_KEY: Type.Optional(signingSettings.WAYMARK_SIGNING_KEY),
});

/** The settings of a cluster on one machine. Its processes read the same environment; a missing setting is reported once for all of them. */
export const clusterSettings = settingsOf(schema);
export type ClusterSettings = Static<typeof schema>;
