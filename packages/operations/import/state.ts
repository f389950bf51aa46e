import type { RecordedEvent } from '@waymark/domain/event.ts';
import { importStream } from '@waymark/domain/streams.ts';
import type { EventLog, Position, Revision } from '@waymark/event-log/event-log.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { conflict } from '@waymark/http/errors.ts';
import { createEventDigest, eventSum } from '@waymark/transfer/digest.ts';
import { type Comparison, type Facts, fromStored, type Ranges, toStored } from './stored-facts.ts';

/** How far the import from one installation has come, as its own stream in this log says: a prefix of the export. */
export type ImportState = {
  /** Last revision of that stream. */
  readonly revision: Revision;
  readonly ranges: Ranges | undefined;
  /** Where this log tells that the import began. */
  readonly begun: Position;
  /** Events, and files, of the export that are here. */
  readonly events: number;
  readonly files: number;
  /** Of those events, in the order of the export, and in any order. */
  readonly digest: string;
  readonly sum: string;
  /** Where the last of them stands in this log. */
  readonly position: Position;
  /** Whose events they are. */
  readonly accounts: ReadonlySet<string>;
  /** What the comparison at the end came to. */
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

/** @param incarnation of the log that the events come from @throws LogUnavailable */
export const readState = async (log: EventLog, incarnation: string): Promise<ImportState> => {
  let state = nothing();
  for (;;) {
    const events = await log.read(importStream(incarnation), state.revision === 'none' ? 0 : state.revision + 1);
    if (events.length === 0) return state;
    state = events.reduce((before, event) => after(before, event, factIn(event)), state);
  }
};

/** Records what was reached, if nobody else has recorded anything meanwhile. @throws HttpError 409, LogUnavailable, AppendUndecided */
export const record = async (log: EventLog, incarnation: string, state: ImportState, fact: Partial<Facts>): Promise<ImportState> => {
  const [type, content] = toStored(fact);
  const event = seal({
    id: newEventId(),
    type,
    version: 1,
    content: JSON.stringify(content),
    account: '',
    origin: { actor: 'operator', token: null, request: null },
    sanitized: false,
  });
  const appended = await log.append(importStream(incarnation), [event], state.revision);
  if (appended.outcome === 'conflict') throw conflict('The same import goes on elsewhere.');
  return after(state, appended, fact);
};

const factIn = ({ envelope: { type }, content }: RecordedEvent): Partial<Facts> => fromStored(type, content ?? '{}');

type Place = { readonly revision: number; readonly position: Position };

const after = (
  state: ImportState,
  { revision, position }: Place,
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
