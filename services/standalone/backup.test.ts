import { backUp } from './backup.ts';
import { BackupRefused } from './backup-manifest.ts';
import { partsOf } from './data-directory.ts';

describe('A backup', () => {
  it('is refused at once where no directory can be made', async () => {
    const installation = { ...partsOf('/nowhere'), release: () => undefined };
    await expect(backUp(installation, '/proc/nope/backup')).rejects.toThrow(BackupRefused);
  });
});
