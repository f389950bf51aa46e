import { join } from 'node:path';
import { clusterKeysIn, randomKey } from '@waymark/runtime/private-files.ts';
import type { ClusterSettings } from './settings.ts';

/** The secrets of the processes, each as the value of its setting. Only the operator service gets the operator token. */
export type SharedSecrets = {
  readonly operatorToken: string;
  readonly statusToken: string;
  readonly edgeKey: string;
  readonly cursorKey: string;
  readonly idempotencyKey: string;
  readonly signingKey: string;
  readonly requestIdKey: string;
};

/** Returns the secrets from the environment; the missing ones are generated and kept in the data directory. */
export const sharedSecrets = (settings: ClusterSettings, file: string): SharedSecrets => {
  const keys = clusterKeysIn(file);
  return {
    operatorToken: settings.WAYMARK_OPS_TOKEN ?? randomKey(),
    statusToken: settings.WAYMARK_STATUS_TOKEN ?? randomKey(),
    edgeKey: settings.WAYMARK_EDGE_KEY || randomKey(),
    cursorKey: settings.WAYMARK_CURSOR_KEY ?? keys.cursors.join(','),
    idempotencyKey: settings.WAYMARK_IDEMPOTENCY_KEY ?? keys.idempotency,
    signingKey: settings.WAYMARK_SIGNING_KEY ?? keys.signing.join(','),
    requestIdKey: settings.WAYMARK_REQUEST_ID_KEY ?? keys.requestIds.join(','),
  };
};

/** Returns the path of the keys that the processes share.
 * @param directory the data directory */
export const keysFile = (directory: string): string => join(directory, 'keys.json');

/** Returns the directory of the notary.
 * @param directory the data directory */
export const notaryDirectoryOf = (directory: string, environment: NodeJS.ProcessEnv): string =>
  environment['WAYMARK_NOTARY_DIR'] || join(directory, 'notary');
