import { Worker } from 'node:worker_threads';
import { ExportRefused } from '@waymark/transfer/format.ts';
import { openDirectory } from '../backup/backup.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';

/** What the exporting thread is given. */
export type ExportData = {
  readonly log: string;
  readonly media: string;
  readonly directory: string;
  readonly final: boolean;
  readonly partCharactersMax: number;
};

export type ExportDone = {
  readonly directory: string;
  readonly final: boolean;
  /** In the whole export, and those that this run has added. */
  readonly events: number;
  readonly newEvents: number;
  readonly files: number;
  readonly newFiles: number;
  /** Files that events name and that are not in the store. */
  readonly missingFiles: number;
  readonly position: number;
  readonly digest: string;
};

/** What the thread answers: what came of it, or why it was refused. */
export type ExportAnswer = ExportDone | { readonly refused: string };

/** A part of an export takes about so much. */
const partCharactersMax = 64_000_000;

/** Writes on an export, or begins it in an empty directory: what history has since, and the files that it names; what is there already is
 * held against its checksums and against the log. In a thread of its own.
 * @throws BackupRefused where the directory cannot be used, ExportRefused where what is there is no export of this log */
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
    worker.once('exit', () => reject(new Error('The export was cut off.')));
  });
  if ('refused' in answer) throw new ExportRefused(answer.refused);
  return answer;
};
