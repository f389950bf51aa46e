import { accountId } from '@waymark/domain/account/decide.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { TooManyMembers } from '@waymark/domain/redaction.ts';
import { storedFileOf } from '@waymark/domain/stored-files.ts';
import { type ResourceKind, resourceKinds, resourceStream } from '@waymark/domain/streams.ts';
import { erase } from '@waymark/event-log/erasure/erase.ts';
import { NotErasable } from '@waymark/event-log/erasure/erasure-summary.ts';
import type { Dropping, EventLog, Position } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { badRequest, conflict, notFound } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import { text } from './text.ts';

/** A request to erase the history of an object. */
export type EraseRequest = { readonly kind: ResourceKind; readonly id: number /** The account's name. */; readonly account: string };

export type ObjectErased = {
  readonly stream: string;
  /** The revision of the event that contains the present state. All events before it are erased. */
  readonly revision: number;
  readonly events: number;
  readonly log: Dropping;
  /** The number of files that the object had before and that were deleted. */
  readonly files: number;
  /** Whether the copies between the log and the read models are deleted too. If false, they expire by themselves within hours. */
  readonly copies: boolean;
};

export type ErasePorts = {
  readonly log: EventLog;
  readonly media: Media;
  /** Deletes the copies of an account's events, up to a position, that exist outside the log and the read models.
   * @returns whether they are deleted */
  readonly dropCopies: (account: string, through: Position) => Promise<boolean>;
};

/** Erases an object's history; its current state is kept. After a failure the caller has to repeat the request.
 * @throws HttpError 404 if the account has no such object, 409 if it cannot be erased; LogUnavailable, AppendUndecided, MediaUnavailable */
export const eraseObject = async ({ log, media, dropCopies }: ErasePorts, { kind, id, account }: EraseRequest): Promise<ObjectErased> => {
  const stream = resourceStream(kind, id);
  const [first] = await log.read(stream, 0);
  if (first?.envelope.account !== accountId(account)) throw notFound();
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
  throw error instanceof NotErasable || error instanceof TooManyMembers ? conflict(error.message) : error;
};

/** The kinds of objects by their names in the API. What the API calls an event is a happening in the code. */
const kinds: Readonly<Record<string, ResourceKind>> = {
  ...Object.fromEntries(resourceKinds.map((kind) => [kind, kind])),
  event: 'happening',
};

/** Parses the body of a request.
 * @throws HttpError 400 */
export const parseEraseRequest = (body: unknown): EraseRequest => {
  const account = text(body, 'account');
  const { kind: word, id } = body as { readonly kind?: unknown; readonly id?: unknown };
  const kind = typeof word === 'string' && Object.hasOwn(kinds, word) ? kinds[word] : undefined;
  if (kind === undefined) throw badRequest('kind: pinpoint, list, category or event is required');
  if (!Number.isSafeInteger(id) || (id as number) < 1) throw badRequest('id: a positive whole number is required');
  return { kind, id: id as number, account };
};
