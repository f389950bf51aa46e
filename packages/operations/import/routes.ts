import type { OpenRoute } from '@waymark/http/app.ts';
import { badRequest } from '@waymark/http/errors.ts';
import { json } from '@waymark/http/operator/routes.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { operatorBody } from '@waymark/http/request/request-body.ts';
import { fileBytesMax } from '@waymark/media/media.ts';
import { type ExportSummary, exportFormat } from '@waymark/transfer/format.ts';
import { fromSummaryMessage, type SummaryMessage } from '@waymark/transfer/stored-manifest.ts';
import type { Batch, Importing } from './import.ts';
import { batchEventsMax, filesAskedMax, importedIdMax } from './limits.ts';

/** Returns the routes for `waymark import`. The caller has to protect each of them. */
export const importRoutes = (importing: Importing): readonly OpenRoute[] => [
  {
    method: 'POST',
    path: '/operator/import/begin',
    handle: async (call) => {
      const body = (await readJson(call, operatorBody)).json;
      return json(200, await importing.begin(runIn(body), manifestIn(body)));
    },
  },
  {
    method: 'POST',
    path: '/operator/import/missing',
    handle: async (call) => json(200, await importing.missingFiles(namesIn((await readJson(call, operatorBody)).json))),
  },
  {
    method: 'POST',
    path: '/operator/import/media/:name',
    handle: async ({ body, parameters }) =>
      json(200, await importing.addFile(parameters['name'] ?? '', await body.read({ ...operatorBody, bytesMax: fileBytesMax }))),
  },
  {
    method: 'POST',
    path: '/operator/import/events',
    handle: async (call) => json(200, await importing.addEvents(batchIn((await readJson(call, operatorBody)).json))),
  },
  {
    method: 'POST',
    path: '/operator/import/end',
    handle: async (call) => {
      const body = (await readJson(call, operatorBody)).json;
      return json(200, await importing.end(runIn(body), manifestIn(body)));
    },
  },
];

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const areCounts = (value: unknown): boolean => Object.values(fieldsOf(value)).every(isCount);
/** 0 means that no id was given out. */
const isObjectId = (value: unknown): boolean => isCount(value) && value <= importedIdMax;
/** Matches a text that may become part of a stream's name. */
const isName = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,100}$/.test(value);
const isDigest = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const runIn = (body: unknown): string => {
  const { run } = fieldsOf(body);
  if (!isName(run)) throw badRequest('run: a name is required');
  return run;
};

const namesIn = (body: unknown): readonly string[] => {
  const { names } = fieldsOf(body);
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) throw badRequest('names: names of files are required');
  if (names.length > filesAskedMax) throw badRequest(`names: at most ${filesAskedMax}`);
  return names;
};

const manifestIn = (body: unknown): ExportSummary => {
  const manifest = fieldsOf(fieldsOf(body)['manifest']);
  const [events, files, ids] = [fieldsOf(manifest['events']), fieldsOf(manifest['files']), fieldsOf(manifest['ids'])];
  if (manifest['format'] !== exportFormat) throw badRequest(`manifest: this release supports exports of format ${exportFormat}`);
  const isWhole =
    isName(manifest['incarnation']) &&
    typeof manifest['final'] === 'boolean' &&
    [events['count'], events['forgotten'], files['count'], files['missing']].every(isCount) &&
    isDigest(events['digest']) &&
    areCounts(events['streams']) &&
    [ids['pinpoint'], ids['list'], ids['category'], ids['happening']].every(isObjectId);
  if (!isWhole) throw badRequest('manifest: the complete manifest of the export is required');
  return fromSummaryMessage(manifest as SummaryMessage);
};

const batchIn = (body: unknown): Batch => {
  const batch = fieldsOf(body);
  const { run, incarnation, first, digest, files, events } = batch;
  if (!isName(run) || !isName(incarnation) || !isCount(first) || !isDigest(digest) || !isCount(files) || !Array.isArray(events)) {
    throw badRequest('run, incarnation, first, digest, files, events: at least one is missing or not valid');
  }
  if (events.length > batchEventsMax) throw badRequest(`events: at most ${batchEventsMax}`);
  return { run, incarnation, first, digest, files, events };
};
