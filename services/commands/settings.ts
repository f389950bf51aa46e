import { Type } from '@sinclair/typebox';
import { resourceKinds } from '@waymark/domain/streams.ts';
import { commandRoles } from '@waymark/http/api/command-roles.ts';
import {
  apiSettings,
  eventStoreSettings,
  idempotencySettings,
  mediaSettings,
  mongoSettings,
  processSettings,
  proxyFaultsIn,
  proxySettings,
  recordingSettings,
  redisSettings,
  requestIdSettings,
  settingsOf,
  signingSettings,
  waitSettings,
} from '@waymark/runtime/common-settings.ts';

/** The settings of a command service. */
export const commandsSettings = settingsOf(
  Type.Object({
    ...processSettings,
    ...apiSettings,
    ...eventStoreSettings,
    ...mongoSettings,
    ...redisSettings,
    ...signingSettings,
    ...proxySettings,
    ...mediaSettings,
    ...waitSettings,
    ...idempotencySettings,
    ...requestIdSettings,
    ...recordingSettings,
    WAYMARK_RESOURCES: Type.String({
      default: resourceKinds.join(','),
      pattern: `^(${commandRoles.join('|')})(,(${commandRoles.join('|')}))*$`,
      description: 'Resources whose writes the service handles, separated by commas; audit: the writes under /audit/v1',
    }),
  }),
  proxyFaultsIn,
);
