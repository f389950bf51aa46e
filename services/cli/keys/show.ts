import { type MovingCluster, movingCluster, NoCluster } from '@waymark/cluster/moving.ts';
import { WrongSettings } from '@waymark/runtime/settings.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { writeKeyFiles, writeNewFile } from './files.ts';
import { type InstallationKeys, keysOf, newKeys } from './keys.ts';
import { chartValues, manifestText, secretManifest } from './manifests.ts';

export const showNewKeys = (name: string, options: OutputOptions): void => showSecret(name, newKeys(), options);

export const writeNewKeys = (directory: string, options: OutputOptions): void => {
  const files = writeKeyFiles(directory, newKeys());
  show({ json: { files }, text: files.join('\n') }, options);
};

/** Prints the keys of the cluster of this environment.
 * @param values the file that gets the values for the chart; undefined: none does */
export const exportKeys = (name: string, values: string | undefined, options: OutputOptions): void => {
  const cluster = clusterHere();
  if (values !== undefined) writeNewFile(values, manifestText(chartValues(cluster, name)));
  showSecret(name, keysOf(cluster), options);
};

const showSecret = (name: string, keys: InstallationKeys, options: OutputOptions): void => {
  const manifest = secretManifest(name, keys);
  show({ json: manifest, text: manifestText(manifest) }, options);
};

const clusterHere = (): MovingCluster => {
  try {
    return movingCluster(process.env);
  } catch (error) {
    if (error instanceof WrongSettings) throw new CommandFailed('usage', error.message, { cause: error });
    if (error instanceof NoCluster) throw new CommandFailed('refused', error.message, { cause: error });
    throw error;
  }
};
