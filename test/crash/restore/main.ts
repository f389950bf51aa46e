// Replaces the contents of a data directory with a backup.

import { restoreBackup } from '@waymark/standalone/backup/restore.ts';

const [backup = '', directory = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await restoreBackup(backup, directory)));
