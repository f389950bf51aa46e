import type { SqliteTokenStore } from '@waymark/access/tokens/sqlite/token-store.ts';
import { release } from '@waymark/domain/release.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { conflict } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import { type EraseOrder, eraseObject, type ObjectErased } from '@waymark/operations/erase-object.ts';
import { createOneAtATime } from '@waymark/operations/one-at-a-time.ts';
import { type Pruned, pruneMedia } from '@waymark/operations/prune.ts';
import { type Renewed, renew } from '@waymark/operations/renew.ts';
import { type BackupDone, backUp } from '../backup/backup.ts';
import { highestIds } from '../data-directory/renewal.ts';
import { type ExportDone, exportInto } from '../export/export.ts';
import { forgetFirst } from '../first-application.ts';
import type { ProjectorMessage } from '../read-side/projector-thread.ts';
import { type RebuildDone, type RebuildOptions, rebuild } from '../read-side/rebuild.ts';
import type { WriteGate } from '../write-gate.ts';
import { type Verification, verify } from './verify.ts';

export type Status = {
  readonly release: string;
  readonly ready: boolean;
  readonly missing: readonly string[];
  readonly api: string;
  readonly writes: 'open' | 'closed';
  readonly dataDirectory: string;
  readonly incarnation: string;
  readonly head: number;
  readonly readPosition: number;
  readonly waitingAppends: number;
  readonly memoryBytes: number;
  readonly uptimeSeconds: number;
};

/** What an operator may have done with an installation while it serves. One of the long ones at a time. */
export type Operations = {
  /** What keeps the installation from being ready, in words; nothing when it is. */
  readonly notReady: () => readonly string[];
  /** What an operator should know, ready or not. */
  readonly warnings: () => readonly string[];
  readonly status: () => Promise<Status>;
  /** @throws HttpError 409 while another operation runs */
  readonly rebuild: () => Promise<RebuildDone>;
  readonly verify: () => Promise<Verification>;
  readonly backUp: (directory: string) => Promise<BackupDone>;
  readonly pruneMedia: () => Promise<Pruned>;
  /** @throws HttpError 404 where there is no such object, 409 where it cannot be erased */
  readonly forget: (order: EraseOrder) => Promise<ObjectErased>;
  /** `final`: nothing may follow what is exported. @throws HttpError 409 where that is wanted while writes are open */
  readonly export: (directory: string, final: boolean) => Promise<ExportDone>;
  /** Gives the log another name, so that nothing of before counts any more. @throws HttpError 409 while writes are open */
  readonly renew: () => Promise<Renewed>;
  /** Removes the file with the first application's secret. @throws HttpError 404 where there is none */
  readonly forgetFirst: () => { readonly file: string };
  /** Resolves once nothing is on its way any more, where writes are closed. */
  readonly setWrites: (open: boolean) => Promise<void>;
};

export type OperationsOptions = RebuildOptions & {
  readonly media: Media;
  readonly tokens: Pick<SqliteTokenStore, 'clear'>;
  readonly writes: WriteGate;
  /** Where the API listens. */
  readonly api: string;
  readonly closing: () => boolean;
  /** From now on the API answers as the log of this incarnation. */
  readonly answerAs: (incarnation: string) => void;
};

export const createOperations = (options: OperationsOptions): Operations => {
  const { directory, log, readSide, media, writes } = options;
  const oneAtATime = createOneAtATime();
  const notReady = (): readonly string[] => [
    ...(readSide.ready() ? [] : ['The read side is not complete yet.']),
    ...(options.closing() ? ['The server is shutting down.'] : []),
  ];
  return {
    notReady,
    warnings: contradictionsOf(log),
    status: async () => {
      const missing = notReady();
      return {
        release,
        ready: missing.length === 0,
        missing,
        api: options.api,
        writes: writes.closed() ? 'closed' : 'open',
        dataDirectory: directory.path,
        ...(await log.state()),
        readPosition: log.followed(),
        waitingAppends: log.waiting().events,
        memoryBytes: process.memoryUsage.rss(),
        uptimeSeconds: Math.floor(process.uptime()),
      };
    },
    rebuild: () => oneAtATime(() => rebuild(options)),
    verify: () => oneAtATime(() => verify(directory, options.memoryBytes)),
    backUp: (into) => oneAtATime(() => backUp(directory, into)),
    pruneMedia: () => oneAtATime(() => pruneMedia(log, media)),
    // There are no copies: the read side takes events in from the log's own thread.
    forget: (order) => oneAtATime(() => eraseObject({ log: writes.gated(log), media, dropCopies: async () => true }, order)),
    export: (into, final) =>
      oneAtATime(async () => {
        if (final && !writes.closed()) throw conflict('Writes are open: close them for an export that is final.');
        if (final) await writes.close();
        return exportInto(directory, into, final);
      }),
    renew: () => oneAtATime(() => renewInstallation(options)),
    forgetFirst: () => forgetFirst(directory),
    // Not while an export runs that is to be final. Closing needs no turn.
    setWrites: (open) => (open ? oneAtATime(async () => writes.open()) : writes.close()),
  };
};

/** Where this is cut off, the next start finds a read side of another log, and does all of it again. */
const renewInstallation = async (options: OperationsOptions): Promise<Renewed> => {
  const { directory, log, tokens, writes, answerAs } = options;
  const renewed = await renew({
    log,
    writes: { closed: async () => writes.closed() },
    // With what the file of facts knows.
    shownIds: async () => highestIds(directory),
    knownFacts: async () => [],
    renewIncarnation: async (expected) => {
      await tokens.clear();
      return log.renewIncarnation(expected);
    },
  });
  answerAs(renewed.incarnation);
  await rebuild(options);
  return renewed;
};

/** What the projector's thread has found so far. Whether the process is ready is told without waiting for that thread: it is asked for the next time. */
const contradictionsOf = (log: SqliteEventLog): (() => readonly string[]) => {
  let places: readonly string[] = [];
  let asking = false;
  const ask = async (): Promise<void> => {
    asking = true;
    places = (await log.tell({ kind: 'contradictions' } satisfies ProjectorMessage).catch(() => places)) as readonly string[];
    asking = false;
  };
  return () => {
    if (!asking) void ask();
    return places.length === 0 ? [] : [`Events contradict their type, stream or account, and count as erased: ${places.join(', ')}.`];
  };
};
