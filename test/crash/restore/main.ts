// Puts a backup in the place of what a data directory holds.

import { restoreBackup } from '@waymark/standalone/backup/restore.ts';

const [backup = '', directory = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await restoreBackup(backup, directory)));
