// Exports an installation whose server is not running.

import { ownDataDirectory } from '@waymark/standalone/data-directory/data-directory.ts';
import { exportInto } from '@waymark/standalone/export/export.ts';

/** Small enough that an export has several parts. */
const partCharactersMax = 4_000;

const [directory = '', into = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await exportInto(ownDataDirectory(directory), into, false, partCharactersMax)));
