import { isService, serviceEntries } from '@waymark/cluster/service-entries.ts';
import { privateUmask } from '@waymark/files/private.ts';

process.umask(privateUmask);
const words = process.argv.slice(2);
const [service = ''] = words;
// A service does without the code of the command line, which takes 9 MB.
if (words.length === 1 && isService(service)) await import(serviceEntries[service].href);
else {
  const { runCommandLine } = await import('./command-line.ts');
  await runCommandLine(words);
}
