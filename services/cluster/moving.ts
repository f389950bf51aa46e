import { existsSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { notaryDirectory } from '@waymark/checkpoints/notary-directory.ts';
import { settingsOf } from '@waymark/runtime/common-settings.ts';
import { locateDirectory } from '@waymark/runtime/directory.ts';
import { notarySettings } from '@waymark/runtime/notary-settings.ts';
import { readSettings } from '@waymark/runtime/settings.ts';
import { type ClusterSettings, clusterSettings } from './settings.ts';
import { keysFile, notaryDirectoryOf, type SharedSecrets, sharedSecrets } from './shared-secrets.ts';

/** What a cluster on one machine takes along when it moves to other machines on the same engines. */
export type MovingCluster = {
  readonly secrets: SharedSecrets;
  /** The private key of the notary. */
  readonly notaryKey: string;
  /** The names in the engines that are the installation's own, and the place of its files. */
  readonly settings: Pick<
    ClusterSettings,
    'WAYMARK_KAFKA_TOPIC' | 'WAYMARK_MONGODB_DATABASE' | 'WAYMARK_REDIS_PREFIX' | 'WAYMARK_MEDIA_URL'
  >;
};

/** The data directory lacks a key, so the cluster never ran in it. */
export class NoCluster extends Error {}

const notaryKeySettings = settingsOf(Type.Object({ WAYMARK_NOTARY_KEY: notarySettings.WAYMARK_NOTARY_KEY }));

/** Returns the keys and names of the cluster that `npm run cluster` runs with an environment.
 * @throws WrongSettings, NoCluster */
export const movingCluster = (environment: NodeJS.ProcessEnv): MovingCluster => {
  const settings = readSettings(clusterSettings, environment);
  const directory = locateDirectory(settings.WAYMARK_DATA_DIR);
  const file = keysFile(directory);
  if (!existsSync(file)) throw new NoCluster(`${directory} has no keys of a cluster: set WAYMARK_DATA_DIR to its data directory.`);
  return { secrets: sharedSecrets(settings, file), notaryKey: notaryKey(notaryDirectoryOf(directory, environment), environment), settings };
};

const notaryKey = (directory: string, environment: NodeJS.ProcessEnv): string => {
  const { WAYMARK_NOTARY_KEY: set } = readSettings(notaryKeySettings, environment);
  if (set !== '') return set;
  const notary = notaryDirectory(directory);
  if (notary.verifierKeys().length > 0) return notary.key();
  throw new NoCluster(`${directory} has no key of the notary: set WAYMARK_NOTARY_DIR to its directory, or WAYMARK_NOTARY_KEY.`);
};
