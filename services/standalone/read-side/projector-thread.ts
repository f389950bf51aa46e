import type { RecordedEvent } from '@waymark/domain/event.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import type { FollowedLog, OpenFollower } from '@waymark/event-log/follower.ts';
import { isDamaged } from '@waymark/files/damaged.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import type { ContradictoryEvent } from '@waymark/read-models/projection/projection.ts';
import { openSqliteReadModels, type SqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import type { SharedNumber } from '@waymark/threads/shared-number.ts';
import { dropFile } from '../data-directory/data-directory.ts';
import { applyEvents, applyRange, partition } from './apply-log.ts';
import { currentFile, isFilling, makeCurrent, makeCurrentToFill, nextFile, noteFilled, numberOf } from './generations.ts';
import { lagHistogram } from './lag.ts';
import { isSameLog } from './same-log.ts';

/** A message from the main thread to the projector. */
export type ProjectorMessage =
  /** Shows the current file to the readers of all threads, once the log has filled it. */
  | { readonly kind: 'show' }
  /** Requests a switch to this file. */
  | { readonly kind: 'switch'; readonly file: string }
  /** Requests that nothing of deleted content is left in the current file; the answer is a `Cleaned`. */
  | { readonly kind: 'clean' }
  /** Requests the histogram of the projection lag. */
  | { readonly kind: 'lag' }
  /** Requests the events that contradict their type, stream or account. */
  | { readonly kind: 'contradictions' };

/** The options of the projector. */
export type ProjectorOptions = {
  /** The directory of the files of the read models. */
  readonly directory: string;
  /** The memory that the process plans with. */
  readonly memoryBytes: number;
  /** The number of the file that readers read; 0 until the read models are complete. */
  readonly shown: SharedNumber;
  /** The number of a file of which pages are damaged. */
  readonly damaged: SharedNumber;
};

/** Contradictory events that are kept for the warning. */
const placesMax = 100;

type OpenFile = (file: string) => SqliteReadModels;

/** Keeps the read models up to date in the thread of the log writer: committed events are projected before they are acknowledged. */
// long because its functions share the open file, and what readers see of it
export const openFollower: OpenFollower = async (options, log) => {
  const { directory: folder, memoryBytes, shown, damaged } = options as ProjectorOptions;
  let { incarnation } = log.state();
  const contradictions = new Set<string>();
  const contradicted = addTo(contradictions);
  const open: OpenFile = (file) => openSqliteReadModels({ file, mode: 'writer', memoryBytes, contradicted });
  let models = await openCurrentOrNew(folder, log, open);
  const lag = lagHistogram();
  const position = async (): Promise<number> => (await models.position(partition)).position;
  /** Whether readers may see a file that the log has filled. */
  let isOpen = false;
  const show = (): void => {
    if (isOpen) Atomics.store(shown, 0, numberOf(currentFile(folder)));
  };
  let isIncomplete = isFilling(folder);
  const showIfComplete = async (): Promise<void> => {
    if (isIncomplete && (await position()) < log.state().head) return;
    if (isIncomplete) noteFilled(folder);
    isIncomplete = false;
    show();
  };

  const switchTo = async (file: string): Promise<void> => {
    const next = open(file);
    incarnation = log.state().incarnation; // the log may have been renewed
    const { position: after } = await next.position(partition);
    await applyRange(next, log.readAfter, incarnation, { after, through: log.state().head });
    models.close();
    makeCurrent(folder, file);
    models = next;
    noteFilled(folder);
    isIncomplete = false;
    show();
  };
  const notedIfDamaged = whenDamaged(() => Atomics.store(damaged, 0, numberOf(currentFile(folder))));

  return {
    position: () => notedIfDamaged(position),
    handle: async (events) => {
      const startedMs = performance.now();
      await notedIfDamaged(async () => applyEvents(models, incarnation, await position(), events));
      if (isIncomplete) await showIfComplete();
      lag.add((performance.now() - startedMs) / 1000, events.length);
    },
    message: async (message) => {
      const request = message as ProjectorMessage;
      switch (request.kind) {
        case 'show':
          isOpen = true;
          return showIfComplete();
        case 'switch':
          return switchTo(request.file);
        case 'clean':
          return models.clean();
        case 'lag':
          return lag.snapshot();
        case 'contradictions':
          return [...contradictions];
      }
    },
    close: async () => models.close(),
  };
};

const addTo =
  (contradictions: Set<string>): ContradictoryEvent =>
  ({ stream, revision }: RecordedEvent) => {
    if (contradictions.size < placesMax) contradictions.add(`${stream} revision ${revision}`);
  };

/** Creates the function that calls `note` if a use of the file shows damage, and throws the error nevertheless. */
const whenDamaged =
  (note: () => void) =>
  async <Value>(use: () => Promise<Value>): Promise<Value> => {
    try {
      return await use();
    } catch (error) {
      if (isDamaged(error)) note();
      throw error;
    }
  };

/** Opens the current file if the projection of this release built it from this log; otherwise a new file, to be filled from the start of
 * the log. */
const openCurrentOrNew = async (directory: string, log: FollowedLog, open: OpenFile): Promise<SqliteReadModels> => {
  const file = currentFile(directory);
  const known = await opened(file, log, open).catch(ignoreUnusable);
  if (known !== undefined) return known;
  dropFile(file);
  return begin(directory, nextFile(directory), log, open);
};

/** Makes a new file, at the start of the log, the current one. If that fails, no file is left. */
const begin = async (directory: string, file: string, log: FollowedLog, open: OpenFile): Promise<SqliteReadModels> => {
  let models: SqliteReadModels | undefined;
  try {
    models = open(file);
    await models.apply(partition, 0, [], { incarnation: log.state().incarnation, position: 0, event: '' });
    makeCurrentToFill(directory, file);
    return models;
  } catch (error) {
    models?.close();
    dropFile(file);
    throw error;
  }
};

const opened = async (file: string, log: FollowedLog, open: OpenFile): Promise<SqliteReadModels | undefined> => {
  const models = open(file);
  let isUsable = false;
  try {
    isUsable = isSameLog(await models.position(partition), log);
  } finally {
    if (!isUsable) models.close();
  }
  return isUsable ? models : undefined;
};

/** Returns undefined if the file must be rebuilt. Rethrows an error of the log or of a full disk: the file itself may be valid then. */
const ignoreUnusable = (error: unknown): undefined => {
  if (error instanceof LogUnavailable || isNoRoom(error)) throw error;
};
