// The thread that exports an installation, started by `export.ts`.

import { parentPort, workerData } from 'node:worker_threads';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isContradictory } from '@waymark/domain/event-types.ts';
import { release } from '@waymark/domain/release.ts';
import { toStoredEvent } from '@waymark/domain/stored-event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import { type LogReader, openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { readReservedIds } from '@waymark/event-log/sqlite/reserved-ids.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import type { ExportDone } from '@waymark/operations/api/answers.ts';
import { createEventDigest } from '@waymark/transfer/digest.ts';
import { ExportRefused, exportFormat, kindOf, type Manifest } from '@waymark/transfer/format.ts';
import { writeManifest } from '@waymark/transfer/manifest.ts';
import { createPartWriter } from '@waymark/transfer/writer.ts';
import type { ExportAnswer, ExportData } from './export.ts';
import { createFileExporter } from './files.ts';
import { exportMarks } from './marks.ts';
import { previousManifest } from './previous-manifest.ts';

/** Events that are read at once. */
const batchEvents = 1_000;
/** Events, or new files, after which a part is complete, even if it is small. */
const partEventsMax = 100_000;
const partFilesMax = 1_000;

const { log: logFile, media, directory, final, partCharactersMax } = workerData as ExportData;

const run = async (log: LogReader): Promise<ExportDone> => {
  const state = log.state();
  const before = await previousManifest(directory, state.incarnation);
  const totals = newTotals();
  for (const event of history(log, 0, before.position)) totals.add(event);
  if (totals.now().digest !== before.events.digest) {
    throw new ExportRefused(`The log has changed since it was exported to ${directory}: export it again, into another directory.`);
  }
  const exporter = await newExporter(before, totals, log, state);
  for (const event of history(log, before.position, state.head)) await exporter.take(event);
  await exporter.takeMarks();
  return doneOf(exporter.complete(state.head, final), before);
};

/** Returns an event as it is exported. An event whose content contradicts it is exported like an erased one: no other installation would
 * accept it. */
const exported = (event: RecordedEvent): RecordedEvent => (isContradictory(event) ? { ...event, salt: null, content: null } : event);

/** Yields the history of the log after one position, up to another one. */
function* history(log: LogReader, after: Position, upTo: Position): Generator<RecordedEvent> {
  for (let position = after; position < upTo; ) {
    const batch = log.after(position, batchEvents);
    for (const event of batch) if (event.position <= upTo && isHistory(event.stream)) yield exported(event);
    position = batch.at(-1)?.position ?? upTo;
  }
}

type Totals = { readonly add: (event: RecordedEvent) => void; readonly now: () => Omit<Manifest['events'], 'parts'> };

const newTotals = (): Totals => {
  const digest = createEventDigest();
  const streams: Record<string, number> = {};
  let forgotten = 0;
  return {
    add: (event) => {
      digest.add(event);
      if (event.content === null) forgotten += 1;
      const kind = kindOf(event.stream);
      if (event.revision === 0) streams[kind] = (streams[kind] ?? 0) + 1;
    },
    now: () => ({ count: digest.count(), digest: digest.value(), forgotten, streams }),
  };
};

const newExporter = async (before: Manifest, totals: Totals, log: LogReader, { incarnation }: LogState) => {
  const events = createPartWriter(directory, 'events', before.events.parts);
  const files = await createFileExporter(directory, media);
  let { marks } = before;

  /** Adds everything up to this position to the export: first the files, so that no event is exported without its file. */
  const complete = (position: Position, isFinal: boolean): Manifest => {
    const counted = { files: files.finish(), events: { ...totals.now(), parts: events.finish() } };
    const head = { format: exportFormat, release, incarnation, time: new Date().toISOString(), position, final: isFinal } as const;
    const manifest = { ...head, ...counted, ...(marks && { marks }), ids: readReservedIds(log) };
    writeManifest(directory, manifest);
    return manifest;
  };
  const isFull = (): boolean =>
    events.lines() >= partEventsMax || events.characters() >= partCharactersMax || files.taken() >= partFilesMax;

  const take = async (event: RecordedEvent): Promise<void> => {
    totals.add(event);
    await files.take(event);
    events.add(toStoredEvent(event));
    if (isFull()) complete(event.position, false);
  };
  const takeMarks = async (): Promise<void> => {
    marks = await exportMarks(directory, media, files);
  };
  return { take, takeMarks, complete };
};

const doneOf = ({ final, position, events, files }: Manifest, before: Manifest): ExportDone => ({
  directory,
  final,
  events: events.count,
  newEvents: events.count - before.events.count,
  files: files.count,
  newFiles: files.count - before.files.count,
  missingFiles: files.missing,
  position,
  digest: events.digest,
});

const answer = async (): Promise<ExportAnswer> => {
  const { reader, close } = openLogReader(logFile);
  try {
    return await run(reader);
  } catch (error) {
    if (error instanceof ExportRefused) return { refused: error.message };
    if (isNoRoom(error)) return { refused: `${directory} has no room for the export. Run it again when it has: it continues.` };
    throw error;
  } finally {
    close();
  }
};

parentPort?.postMessage(await answer());
