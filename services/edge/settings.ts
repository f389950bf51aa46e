import { type Static, Type } from '@sinclair/typebox';
import { apiSettings, processSettings, proxyFaultsIn, proxySettings, settingsOf } from '@waymark/runtime/common-settings.ts';

const address = (of: string) =>
  Type.String({
    pattern: '^([\\w.-]+|\\[[\\da-fA-F:.]+\\]):\\d{1,5}$',
    description: `Address, host:port, of ${of}; its name is resolved once, at the start`,
  });

const schema = Type.Object({
  WAYMARK_HOST: apiSettings.WAYMARK_HOST,
  WAYMARK_PORT: apiSettings.WAYMARK_PORT,
  WAYMARK_LOG_LEVEL: processSettings.WAYMARK_LOG_LEVEL,
  WAYMARK_DRAIN_SECONDS: processSettings.WAYMARK_DRAIN_SECONDS,
  WAYMARK_STOP_SECONDS: processSettings.WAYMARK_STOP_SECONDS,
  ...proxySettings,
  WAYMARK_NGINX: Type.String({ default: 'nginx', minLength: 1, description: 'The nginx executable of the edge' }),
  WAYMARK_EDGE_DIR: Type.String({
    pattern: '^/[^\\s"\\\\$]*$',
    description: 'Directory of the edge alone, an absolute path: for its configuration, and for the file by which nginx sees that it stops',
  }),
  WAYMARK_EDGE_WORKERS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_024,
    description: 'Worker processes of nginx; 0: one for each core of the machine',
  }),
  WAYMARK_EDGE_AUTH: address('the auth service'),
  WAYMARK_EDGE_QUERY: address('the query gateways'),
  WAYMARK_EDGE_AUDITOR: address('the auditors, which answer reads under /audit/v1'),
  WAYMARK_EDGE_PINPOINTS: address('the command services of pinpoints'),
  WAYMARK_EDGE_LISTS: address('the command services of lists'),
  WAYMARK_EDGE_CATEGORIES: address('the command services of categories'),
  WAYMARK_EDGE_EVENTS: address('the command services of happenings'),
  WAYMARK_EDGE_AUDIT: address('the command services of writes under /audit/v1'),
});

/** The settings of an edge that forwards to Services. */
export const edgeSettings = settingsOf(schema, proxyFaultsIn);
export type EdgeSettings = Static<typeof schema>;
