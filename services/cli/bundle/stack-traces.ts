import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap>();

/** Formats a stack trace as Node does, with positions in our sources in place of those in a bundle. The source map of a file is read when a
 * stack trace first needs it: Node would read all of them at the start, and keep them. */
export const traceInSources = (error: Error, frames: readonly NodeJS.CallSite[]): string =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSource(frame)}`)].join('\n');

const inSource = (frame: NodeJS.CallSite): string => {
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith('file:') || line === null || column === null) return `${frame}`;
  const origin = mapOf(file).findOrigin(line, column);
  // The map has no positions in libraries.
  if (!('fileName' in origin) || !origin.fileName.endsWith('.ts')) return `${frame}`;
  const source = fileURLToPath(new URL(origin.fileName, file));
  return `${frame}`.replace(`${file}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`);
};

const mapOf = (file: string): SourceMap => {
  const map = maps.get(file) ?? new SourceMap(payloadOf(file));
  maps.set(file, map);
  return map;
};

const payloadOf = (file: string): SourceMapPayload => {
  try {
    return JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')) as SourceMapPayload;
  } catch {
    return { file, version: 3, sources: [], sourcesContent: [], names: [], mappings: '', sourceRoot: '' };
  }
};
