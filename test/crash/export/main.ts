// Exports an installation whose server does not run.

import { ownDataDirectory } from '@waymark/standalone/data-directory/data-directory.ts';
import { exportInto } from '@waymark/standalone/export/export.ts';

/** So small that an export has several parts. */
const partCharactersMax = 4_000;

const [directory = '', into = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await exportInto(ownDataDirectory(directory), into, false, partCharactersMax)));
