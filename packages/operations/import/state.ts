import type { RecordedEvent } from '@waymark/domain/event.ts';
import { importStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { operators, sealHousekeeping } from '@waymark/event-log/seal.ts';
import { conflict } from '@waymark/http/errors.ts';
import { createEventDigest, eventSum } from '@waymark/transfer/digest.ts';
import { type Comparison, type Facts, fromStored, type Ranges, toStored } from './stored-facts.ts';

/** The progress of the import from one installation, as recorded in its own stream in this log. The imported events are a prefix of the
 * export. */
export type ImportState = {
  /** The last revision of that stream. */
  readonly revision: Revision;
  readonly ranges: Ranges | undefined;
  /** The position in this log at which the import began. */
  readonly begun: Position;
  /** The number of events of the export that have been imported; `files`: the number of its files. */
  readonly events: number;
  readonly files: number;
  /** The digest of those events in the order of the export; `sum`: their digest in any order. */
  readonly digest: string;
  readonly sum: string;
  /** The position of the last of them in this log. */
  readonly position: Position;
  /** The accounts of those events. */
  readonly accounts: ReadonlySet<string>;
  /** The result of the comparison at the end. */
  readonly ended: Comparison | undefined;
};

const nothing = (): ImportState => ({
  revision: 'none',
  ranges: undefined,
  begun: 0,
  events: 0,
  files: 0,
  digest: createEventDigest().value(),
  sum: eventSum().value(),
  position: 0,
  accounts: new Set(),
  ended: undefined,
});

/** Reads the state of an import from its stream.
 * @param incarnation the incarnation of the log that the events come from
 * @throws LogUnavailable */
export const readState = async (log: Pick<EventLog, 'read'>, incarnation: string): Promise<ImportState> => {
  let state = nothing();
  for await (const event of readEvents(log.read, importStream(incarnation))) state = after(state, event, factIn(event));
  return state;
};

/** Records progress, unless another process has recorded some meanwhile.
 * @throws HttpError 409, LogUnavailable, AppendUndecided */
export const record = async (log: EventLog, incarnation: string, state: ImportState, fact: Partial<Facts>): Promise<ImportState> => {
  const [type, content] = toStored(fact);
  const event = sealHousekeeping({ type, version: 1, content, origin: operators });
  const appended = await log.append(importStream(incarnation), [event], state.revision);
  if (appended.outcome === 'conflict') throw conflict('Another process continues the same import.');
  return after(state, appended, fact);
};

const factIn = ({ envelope: { type }, content }: RecordedEvent): Partial<Facts> => fromStored(type, content ?? '{}');

type StreamEnd = { readonly revision: number; readonly position: Position };

const after = (
  state: ImportState,
  { revision, position }: StreamEnd,
  { ImportBegun, ImportReached, ImportEnded }: Partial<Facts>,
): ImportState => ({
  events: ImportReached?.events ?? state.events,
  files: ImportReached?.files ?? state.files,
  digest: ImportReached?.digest ?? state.digest,
  sum: ImportReached?.sum ?? state.sum,
  position: ImportReached?.position ?? state.position,
  accounts: ImportReached === undefined ? state.accounts : joined(state.accounts, ImportReached.accounts),
  ranges: ImportBegun?.ids ?? state.ranges,
  begun: state.begun === 0 && ImportBegun ? position : state.begun,
  ended: ImportEnded?.comparison ?? state.ended,
  revision,
});

const joined = (known: ReadonlySet<string>, more: readonly string[]): ReadonlySet<string> =>
  more.length === 0 ? known : new Set([...known, ...more]);
