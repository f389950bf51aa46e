import { readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './bundle.ts';

/** Libraries that are not bundled: one loads a binary from its own folder, the second reads its large tables only when it needs one, and a
 * metrics library names the third without using it. */
const separateLibraries = /^(sharp|iconv-lite|@opentelemetry\/api)$/;
/** The file of a library that finds a binary from its own place. */
const binaryFinder = /[\\/]node_modules[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/;
/** Nothing of Express is used but its router, a library of its own. The rest takes some 15 ms of each start. */
const express = { file: /[\\/]node_modules[\\/]express[\\/]index\.js$/, used: "exports.Router = require('router');" };
const libraryFiles = /[\\/]node_modules[\\/].*\.[cm]?js$/;
const libraryData = /[\\/]node_modules[\\/].*\.json$/;
const ourFiles = /[\\/](deploy|packages|services)[\\/].*\.ts$/;
/** The place of a file with which a thread or a process begins. */
const entryUrl = /new URL\('[^']*?([\w-]+-thread|[\w-]+(?=\/main))(?:\/main)?\.ts', import\.meta\.url\)/;

/** A source map of one position. A library with it does not enlarge the bundle's source maps. */
const smallSourceMap = `\n//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"sources":[""],"mappings":"AAAA"}')}`;

/** Reads files for a bundle in a folder, and adds our files to `sources`. */
export const waymarkSources = (folder: string, sources: Map<string, Buffer>): Plugin => ({
  name: 'waymark-sources',
  setup: ({ onResolve, onLoad, resolve }) => {
    onResolve({ filter: separateLibraries }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === separateLibraries) return undefined;
      const library = await resolve(path, { kind, importer, resolveDir, pluginData: separateLibraries });
      return { path: `./${relative(folder, library.path)}`, external: true };
    });
    onLoad({ filter: express.file }, () => ({ contents: express.used + smallSourceMap }));
    onLoad({ filter: binaryFinder }, ({ path }) => ({
      contents:
        readFileSync(path, 'utf8').replaceAll('__dirname', `(bundleFolder + '/${relative(folder, dirname(path))}')`) + smallSourceMap,
    }));
    onLoad({ filter: libraryFiles }, ({ path }) => ({ contents: readFileSync(path, 'utf8') + smallSourceMap, loader: 'default' }));
    // Parsed from a text, which takes half the time of an object literal.
    onLoad({ filter: libraryData }, ({ path }) => ({
      contents: `module.exports = JSON.parse(${JSON.stringify(readFileSync(path, 'utf8'))});`,
      loader: 'js',
    }));
    onLoad({ filter: ourFiles }, ({ path }) => {
      const source = readFileSync(path);
      sources.set(relative(root, path), source);
      return { contents: inBundle(source.toString(), relative(folder, path)), loader: 'ts' };
    });
  },
});

/** Changes what depends on the place of a file: threads and processes start from the bundle, and all other files are found from the place of
 * the source.
 * @param path the path of the source, from the folder of the bundle */
const inBundle = (source: string, path: string): string =>
  source
    .split(entryUrl)
    .map((part, nth) => (nth % 2 === 0 ? atPlace(part, path) : `new URL('./${part}.js', import.meta.url)`))
    .join('');

const atPlace = (source: string, path: string): string =>
  source
    .replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`)
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(path)}')`);
