import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The checkout that the command line names, and the release that its code is. */
export const givenCheckout = (): { readonly checkout: string; readonly release: string } => {
  const [given] = process.argv.slice(2);
  if (given === undefined) throw new Error('Which checkout?');
  const checkout = resolve(given);
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { readonly version: string };
  return { checkout, release: version };
};
