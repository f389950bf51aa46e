import { importsStream } from '@waymark/domain/streams.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { operators, sealHousekeeping } from '@waymark/event-log/seal.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { attemptsMax } from './limits.ts';
import { readState } from './state.ts';

/** Records the name of an import once, before any of its events.
 * @throws LogUnavailable, AppendUndecided; HttpError 503 */
export const nameImport = async (log: EventLog, incarnation: string): Promise<void> => {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const { incarnations, last } = await named(log);
    if (incarnations.has(incarnation)) return;
    if ((await log.append(importsStream, [naming(incarnation)], last)).outcome === 'appended') return;
  }
  throw unavailable('Too many imports begin at the same time.');
};

/** Returns the installations whose import has begun and not ended.
 * @throws LogUnavailable */
export const unfinishedImports = async (log: Pick<EventLog, 'read'>): Promise<readonly string[]> => {
  const unfinished: string[] = [];
  for (const incarnation of (await named(log)).incarnations) {
    if ((await readState(log, incarnation)).ended === undefined) unfinished.push(incarnation);
  }
  return unfinished;
};

const named = async (log: Pick<EventLog, 'read'>): Promise<{ readonly incarnations: ReadonlySet<string>; readonly last: Revision }> => {
  const incarnations = new Set<string>();
  let last: Revision = 'none';
  for await (const { revision, content } of readEvents(log.read, importsStream)) {
    incarnations.add((JSON.parse(content ?? '{}') as StoredImport).incarnation);
    last = revision;
  }
  return { incarnations, last };
};

/** The content of `ImportNamed`. Stored: never rename. */
type StoredImport = { readonly incarnation: string };

const toStored = (name: string): StoredImport => ({ incarnation: name });

const naming = (incarnation: string) =>
  sealHousekeeping({ type: 'ImportNamed', version: 1, content: toStored(incarnation), origin: operators });
