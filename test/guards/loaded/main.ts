import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Loaded into a server before its own code, also into its threads. Appends the URL of each module that a thread loads to the file that
// LOADED_FILE names.

const file = process.env['LOADED_FILE'] ?? '';

registerHooks({
  load: (url, context, next) => {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
