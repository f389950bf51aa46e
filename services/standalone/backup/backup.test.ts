import { partsOf } from '../data-directory/data-directory.ts';
import { backUp } from './backup.ts';
import { BackupRefused } from './manifest.ts';

describe('A backup', () => {
  it('is refused at once if its directory cannot be made', async () => {
    const installation = { ...partsOf('/nowhere'), release: () => undefined };
    await expect(backUp(installation, '/proc/nope/backup')).rejects.toThrow(BackupRefused);
  });
});
