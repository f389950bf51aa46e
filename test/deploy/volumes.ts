import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectl } from './node.ts';

/** Makes a volume on the node that any claim of its size can take: a new directory of root's that the group 0 may write to.
 * @returns the directory */
export const createVolume = async (name: string): Promise<string> => {
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
      hostPath: { path: directory, type: 'Directory' },
    },
  };
  await kubectl(['create', '-f', '-'], JSON.stringify(volume));
  return directory;
};
