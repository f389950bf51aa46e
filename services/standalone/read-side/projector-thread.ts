import type { RecordedEvent } from '@waymark/domain/event.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import type { FollowedLog, OpenFollower } from '@waymark/event-log/follower.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import type { ContradictoryEvent } from '@waymark/read-models/projection/projection.ts';
import { openSqliteReadModels, type SqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import type { SharedNumber } from '@waymark/threads/shared-number.ts';
import { dropFile } from '../data-directory/data-directory.ts';
import { applyEvents, applyRange, partition } from './apply-log.ts';
import { currentFile, makeCurrent, nextFile, numberOf } from './generations.ts';
import { lagHistogram } from './lag.ts';
import { isSameLog } from './same-log.ts';

/** A message from the main thread to the projector. */
export type ProjectorMessage =
  /** Shows the current file to the readers of all threads. */
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
};

/** Contradictory events that are kept for the warning. */
const placesMax = 100;

type OpenFile = (file: string) => SqliteReadModels;

/** Keeps the read models up to date in the thread of the log writer: committed events are projected before they are acknowledged. */
export const openFollower: OpenFollower = async (options, log) => {
  const { directory: folder, memoryBytes, shown } = options as ProjectorOptions;
  let { incarnation } = log.state();
  const contradictions = new Set<string>();
  const contradicted: ContradictoryEvent = ({ stream, revision }: RecordedEvent): void => {
    if (contradictions.size < placesMax) contradictions.add(`${stream} revision ${revision}`);
  };
  const open: OpenFile = (file) => openSqliteReadModels({ file, mode: 'writer', memoryBytes, contradicted });
  let models = await openCurrentOrNew(folder, log, open);
  const lag = lagHistogram();
  const position = async (): Promise<number> => (await models.position(partition)).position;

  const switchTo = async (file: string): Promise<void> => {
    const next = open(file);
    incarnation = log.state().incarnation; // the log may have been renewed
    const { position: after } = await next.position(partition);
    await applyRange(next, log.readAfter, incarnation, { after, through: log.state().head });
    models.close();
    makeCurrent(folder, file);
    models = next;
    if (Atomics.load(shown, 0) !== 0) Atomics.store(shown, 0, numberOf(file));
  };

  return {
    position,
    handle: async (events) => {
      const startedMs = performance.now();
      const { position: after } = await models.position(partition);
      await applyEvents(models, incarnation, after, events);
      lag.add((performance.now() - startedMs) / 1000, events.length);
    },
    message: async (message) => {
      const request = message as ProjectorMessage;
      switch (request.kind) {
        case 'show':
          return Atomics.store(shown, 0, numberOf(currentFile(folder)));
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

/** Opens the current file if the projection of this release built it from this log; otherwise a new file, to be filled from the start of
 * the log. */
const openCurrentOrNew = async (directory: string, log: FollowedLog, open: OpenFile): Promise<SqliteReadModels> => {
  const file = currentFile(directory);
  const known = await opened(file, log, open).catch(ignoreUnusable);
  if (known !== undefined) return known;
  dropFile(file);
  const next = nextFile(directory);
  const models = open(next);
  const { incarnation } = log.state();
  await models.apply(partition, 0, [], { incarnation, position: 0, event: '' });
  makeCurrent(directory, next);
  return models;
};

const opened = async (file: string, log: FollowedLog, open: OpenFile): Promise<SqliteReadModels | undefined> => {
  const models = open(file);
  const reached = await models.position(partition).catch(ignoreUnusable);
  if (reached !== undefined && isSameLog(reached, log)) return models;
  models.close();
  return undefined;
};

/** Returns undefined if the file must be rebuilt. Rethrows an error of the log or of a full disk: the file itself may be valid then. */
const ignoreUnusable = (error: unknown): undefined => {
  if (error instanceof LogUnavailable || isNoRoom(error)) throw error;
};
