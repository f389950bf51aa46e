import { join } from 'node:path';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { createLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openReader } from '@waymark/event-log/sqlite/schema.ts';
import { answerFully } from '@waymark/history/reading/answer-fully.ts';
import { openSqliteHistory } from '@waymark/history/sqlite/history.ts';
import { createEntityTags } from '@waymark/http/conditional-requests.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { openSqliteReadModels } from '@waymark/read-models/sqlite/read-models.ts';
import type { CommandsOptions } from '../service.ts';

const eventsTogether = 1_000;

/** The stores of a process, with read models and a history that follow the log when the history is asked. */
export type Stores = { readonly options: CommandsOptions; readonly close: () => Promise<void> };

export const openStores = async (directory: string): Promise<Stores> => {
  const file = join(directory, 'log.db');
  const log = await openSqliteEventLog({ file });
  const db = openReader(file);
  const reader = createLogReader(db);
  const models = openSqliteReadModels({ file: join(directory, 'read.db'), mode: 'writer' });
  const history = openSqliteHistory(join(directory, 'history.db'));
  const { incarnation } = await log.state();
  for (const { apply } of [models, history]) await apply(0, 0, [], { incarnation, position: 0, event: '' });
  let position = 0;
  const follow = async (): Promise<void> => {
    for (;;) {
      const events = reader.after(position, eventsTogether);
      const last = events.at(-1);
      if (last === undefined) return;
      const to = { incarnation, position: last.position, event: last.envelope.id };
      for (const { apply } of [models, history]) await apply(0, position, events, to);
      position = last.position;
    }
  };
  let following = Promise.resolve();
  const options: CommandsOptions = {
    ...{ log, models, media: openDiskMedia({ directory: join(directory, 'media') }) },
    tags: createEntityTags(incarnation, ''),
    complete: (text) => text,
    visible: () => true,
    idempotencyKey: 'secret',
    hashRequestId: () => undefined,
    askHistory: async (question) => {
      following = following.then(follow);
      await following;
      return answerFully(history, question);
    },
    undoStarted: () => undefined,
    memoryBytes: 64 * 1024 * 1024,
    onOwnerMismatch: undefined,
  };
  const close = async (): Promise<void> => {
    db.close();
    models.close();
    await history.close();
    await log.close();
  };
  return { options, close };
};
