import { Worker } from 'node:worker_threads';
import type { ExportDone } from '@waymark/operations/api/answers.ts';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { openDirectory } from '../backup/backup.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';

/** The input of the export thread. */
export type ExportData = {
  readonly log: string;
  readonly media: string;
  readonly directory: string;
  readonly final: boolean;
  readonly partCharactersMax: number;
};

/** The message of the export thread: its result, or why the export was refused. */
export type ExportAnswer = ExportDone | { readonly refused: string };

/** The approximate size of a part of an export. */
const partCharactersMax = 64_000_000;

/** Continues an export, or starts one in an empty directory: adds the history since the last run, and the files that it names. Compares the
 * existing parts with their checksums and with the log. Runs in a separate thread.
 * @throws BackupRefused if the directory cannot be used, ExportRefused if it holds anything but an export of this log */
export const exportInto = async (
  from: DataDirectory,
  directory: string,
  final: boolean,
  charactersMax = partCharactersMax,
): Promise<ExportDone> => {
  await openDirectory(directory);
  const workerData: ExportData = { log: from.log, media: from.media, directory, final, partCharactersMax: charactersMax };
  const answer = await new Promise<ExportAnswer>((resolve, reject) => {
    const worker = new Worker(new URL('./export-thread.ts', import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The export thread ended without a result.')));
  });
  if ('refused' in answer) throw new ExportRefused(answer.refused);
  return answer;
};
