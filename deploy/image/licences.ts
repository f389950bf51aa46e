import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../services/cli/bundle/bundle.ts';

const licence = /^(licen[cs]e|copying|notice)/i;
/** A source of a bundle that belongs to a library: its folder in the checkout, and its name and version. */
const librarySource = /node_modules\/\.pnpm\/(?<kept>[^/]+)\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Copies the licences of the libraries in a bundle, which has only their code, each to a folder of its own. The source maps name them. */
export const copyLicences = (bundle: string, to: string): void => {
  for (const library of librariesIn(bundle)) {
    const folder = join(root, library);
    const into = join(to, librarySource.exec(library)?.groups?.['kept'] ?? '');
    for (const name of readdirSync(folder).filter((one) => licence.test(one))) {
      mkdirSync(into, { recursive: true });
      cpSync(join(folder, name), join(into, name));
    }
  }
};

const librariesIn = (bundle: string): ReadonlySet<string> =>
  new Set(
    readdirSync(bundle)
      .filter((name) => name.endsWith('.map'))
      .flatMap((name) => (JSON.parse(readFileSync(join(bundle, name), 'utf8')) as { readonly sources: readonly string[] }).sources)
      .flatMap((source) => librarySource.exec(source)?.[0] ?? []),
  );
