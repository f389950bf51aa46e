import type { RecordedEvent } from '@waymark/domain/event.ts';
import { storedFileOf } from '@waymark/domain/stored-files.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import { NotErasable } from '@waymark/event-log/erasure/erasure-summary.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { conflict } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import type { ObjectErased } from './api/answers.ts';
import type { BodyOf } from './api/calls.ts';
import { commandFor } from './named-object.ts';
import { giveOrder } from './orders.ts';

export type ErasePorts = {
  readonly log: EventLog;
  readonly media: Media;
  /** Deletes the copies of an account's events, up to a position, that exist outside the log and the read models.
   * @returns whether they are deleted */
  readonly dropCopies: (account: string, through: Position) => Promise<boolean>;
};

/** Records the order, and erases the object's history; its current state is kept. After a failure the caller has to repeat the request.
 * @param by the person who gives the order
 * @throws HttpError 404 if the account has no such object, 409 if it is on hold or cannot be erased; LogUnavailable, AppendUndecided, MediaUnavailable */
export const eraseObject = async (
  { log, media, dropCopies }: ErasePorts,
  order: BodyOf<'POST /operator/forget'>,
  by: string | null,
): Promise<ObjectErased> => {
  const command = await commandFor(log, 'OrderErasure', order, by);
  const stream = command.object;
  await giveOrder(log, command);
  let files = 0;
  // Deletes the files before the erasure, while the events still name them.
  const prepare = async (redacted: RecordedEvent): Promise<void> => {
    const names = await formerFiles(log, redacted);
    for (const name of names) await media.erase(name);
    files = names.size;
  };
  const { redacted, count, dropping } = await erase(log, stream, prepare).catch(refused);
  const copies = await dropCopies(redacted.envelope.account, redacted.position);
  return { stream, revision: redacted.revision, events: count, log: dropping, files, copies };
};

/** Returns the names of the files that earlier events gave to the object, except the one that it has now. */
const formerFiles = async (log: EventLog, redacted: RecordedEvent): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for await (const event of readEvents(log.read, redacted.stream)) {
    if (event.revision >= redacted.revision) break;
    const file = storedFileOf(event);
    if (file) names.add(file.name);
  }
  const present = storedFileOf(redacted);
  if (present) names.delete(present.name);
  return names;
};

const refused = (error: unknown): never => {
  throw error instanceof NotErasable ? conflict(error.message) : error;
};
