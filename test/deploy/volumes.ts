import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectl } from './node.ts';

/** The claim of a pod: its namespace and its name. */
type Claim = { readonly namespace: string; readonly name: string };

/** Makes a volume on the node for one claim: a new directory of root's that the group 0 may write to. Claims of other installations, which may wait
 * for a volume at the same time, do not get it.
 * @returns the directory */
export const createVolume = async (name: string, claim: Claim): Promise<string> => {
  const volumes = join(process.env['NODE_STATE'] ?? tmpdir(), 'volumes');
  mkdirSync(volumes, { recursive: true });
  const directory = mkdtempSync(join(volumes, `${name}-`));
  chmodSync(directory, 0o2775);
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: claim,
      hostPath: { path: directory, type: 'Directory' },
    },
  };
  await kubectl(['create', '-f', '-'], JSON.stringify(volume));
  return directory;
};
