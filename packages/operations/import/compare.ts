import type { RecordedEvent } from '@waymark/domain/event.ts';
import { storedFileOf } from '@waymark/domain/stored-files.ts';
import { isHistory, undoStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import type { Media } from '@waymark/media/media.ts';
import { createAccountsDigest, createEventDigest, eventSum } from '@waymark/transfer/digest.ts';
import { type ExportSummary, kindOf } from '@waymark/transfer/format.ts';
import type { ImportState } from './state.ts';
import type { Comparison } from './stored-facts.ts';

/** The streams that begin with erased events: the number of these events, and the last revision of the stream. */
export type Erased = ReadonlyMap<string, { readonly count: number; readonly last: number }>;

/** The undo jobs that have started and not ended: the account of each, by its id. */
export type UnfinishedUndos = ReadonlyMap<string, string>;

type Compared = { readonly comparison: Comparison; readonly erased: Erased; readonly undos: UnfinishedUndos };

/** Reads the imported events back from the log and compares them with the export.
 * @param accountsDigest of the export's events; see `createAccountsDigest` */
export const compare = async (
  log: EventLog,
  media: Media,
  state: ImportState,
  { events, files }: ExportSummary,
  accountsDigest: string,
): Promise<Compared> => {
  const found = findings();
  await readImported(log, state, found.add);
  const { holdings, sum, accounts, names, erased, undos } = found.all();
  const exported = {
    events: events.count,
    forgotten: events.forgotten,
    streams: events.streams,
    digest: events.digest,
    files: files.count,
    missing: files.missing,
  };
  const present = { ...holdings, missing: await missingIn(media, names) };
  const inOrder = accounts === accountsDigest;
  const equal =
    (present.digest === exported.digest || sum === state.sum) &&
    (['events', 'forgotten', 'files', 'missing'] as const).every((name) => present[name] === exported[name]) &&
    asText(present.streams) === asText(exported.streams);
  return { comparison: { equal, inOrder, exported, imported: present }, erased, undos };
};

/** Reads all events of the imported accounts, up to the last imported event. */
const readImported = (log: EventLog, { position, accounts }: ImportState, add: (event: RecordedEvent) => void): Promise<void> =>
  scan(log, { after: 0, through: position }, async (batch) => {
    for (const event of batch) if (isHistory(event.stream) && accounts.has(event.envelope.account)) add(event);
  });

const findings = () => {
  const digest = createEventDigest();
  const sum = eventSum();
  const accounts = createAccountsDigest();
  const streams: Record<string, number> = {};
  const names = new Set<string>();
  const erased = new Map<string, { count: number; last: number }>();
  const undos = new Map<string, string>();
  let forgotten = 0;

  const noteErased = ({ stream, revision, content }: RecordedEvent): void => {
    if (content === null) forgotten += 1;
    if (content === null && revision === 0) erased.set(stream, { count: 0, last: 0 });
    const known = erased.get(stream);
    if (known === undefined) return;
    known.last = revision;
    if (content === null && known.count === revision) known.count += 1;
  };
  const noteUndo = ({ stream, envelope: { type, account } }: RecordedEvent): void => {
    if (!stream.startsWith(undoStream(''))) return;
    const id = stream.slice(undoStream('').length);
    if (type === 'UndoStarted') undos.set(id, account);
    if (type === 'UndoEnded') undos.delete(id);
  };
  return {
    add: (event: RecordedEvent): void => {
      digest.add(event);
      sum.add(event);
      accounts.add(event);
      noteErased(event);
      noteUndo(event);
      const kind = kindOf(event.stream);
      if (event.revision === 0) streams[kind] = (streams[kind] ?? 0) + 1;
      const file = storedFileOf(event);
      if (file) names.add(file.name);
    },
    all: () => {
      const holdings = { events: digest.count(), forgotten, streams, digest: digest.value(), files: names.size };
      return { holdings, sum: sum.value(), accounts: accounts.value(), names, erased, undos };
    },
  };
};

const missingIn = async (media: Media, names: ReadonlySet<string>): Promise<number> => {
  const missing = new Set(names);
  if (missing.size > 0) for await (const { name, erased } of media.list()) if (!erased) missing.delete(name);
  return missing.size;
};

const asText = (counts: Readonly<Record<string, number>>): string => JSON.stringify(Object.entries(counts).sort());
