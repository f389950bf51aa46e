import { join } from 'node:path';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { createLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openReader } from '@waymark/event-log/sqlite/schema.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import type { Media } from '@waymark/media/media.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';

/** The stores of an installation, with a projector that applies an event only when `step` is called. */
export type InterleavedInstallation = {
  readonly log: EventLog;
  readonly models: ReadModels;
  readonly media: Media;
  readonly incarnation: string;
  /** Reports whether the log has events that the read models lack. */
  readonly behind: () => boolean;
  /** Applies the next event. */
  readonly step: () => Promise<void>;
  /** Applies all remaining events. */
  readonly catchUp: () => Promise<void>;
  /** Resolves once the read models have reached the position. */
  readonly reached: (position: Position) => Promise<true>;
  /** Returns every event that was recorded after a position. */
  readonly after: (position: Position) => readonly RecordedEvent[];
  readonly close: () => Promise<void>;
};

const eventsMax = 100_000;

export const openInstallation = async (directory: string): Promise<InterleavedInstallation> => {
  const file = join(directory, 'log.db');
  const log = await openSqliteEventLog({ file });
  const models = openSqliteReadModels({ file: join(directory, 'read.db'), mode: 'writer' });
  const db = openReader(file);
  const reader = createLogReader(db);
  const { incarnation } = await log.state();
  await models.apply(0, 0, [], { incarnation, position: 0, event: '' });
  let position = 0;
  const waiters = new Map<() => void, Position>();

  const behind = (): boolean => reader.after(position, 1).length > 0;
  const step = async (): Promise<void> => {
    const [event] = reader.after(position, 1);
    if (event === undefined) return;
    await models.apply(0, position, [event], { incarnation, position: event.position, event: event.envelope.id });
    position = event.position;
    for (const [resolve, waitedFor] of waiters) {
      if (waitedFor > position) continue;
      waiters.delete(resolve);
      resolve();
    }
  };
  return {
    log,
    models,
    media: openDiskMedia({ directory: join(directory, 'media') }),
    incarnation,
    behind,
    step,
    catchUp: async () => {
      while (behind()) await step();
    },
    reached: async (wanted) => {
      if (wanted > position) await new Promise<void>((resolve) => waiters.set(resolve, wanted));
      return true;
    },
    after: (from) => reader.after(from, eventsMax),
    close: async () => {
      db.close();
      models.close();
      await log.close();
    },
  };
};
