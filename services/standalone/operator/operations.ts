import type { SqliteTokenStore } from '@waymark/access/tokens/sqlite/token-store.ts';
import type { EvidenceSource } from '@waymark/checkpoints/verification/evidence.ts';
import { release } from '@waymark/domain/release.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { conflict } from '@waymark/http/errors.ts';
import type { Media } from '@waymark/media/media.ts';
import type { NotaryStatus } from '@waymark/notary/app.ts';
import type {
  BackupDone,
  ExportDone,
  Hold,
  ObjectErased,
  Pruned,
  Rebuilt,
  Renewed,
  StandaloneStatus,
  Verification,
} from '@waymark/operations/api/answers.ts';
import type { BodyOf } from '@waymark/operations/api/calls.ts';
import type { ShownNotary } from '@waymark/operations/api/notary-status.ts';
import { type ErasePorts, eraseObject } from '@waymark/operations/erase-object.ts';
import { setHold } from '@waymark/operations/hold.ts';
import { createOneAtATime } from '@waymark/operations/one-at-a-time.ts';
import { pruneMedia } from '@waymark/operations/prune.ts';
import { renew } from '@waymark/operations/renew.ts';
import { trusting } from '@waymark/operations/trusted-keys.ts';
import { backUp } from '../backup/backup.ts';
import { highestIds } from '../data-directory/renewal.ts';
import { exportInto } from '../export/export.ts';
import { forgetFirst } from '../first-application.ts';
import { rebuildHistory } from '../history/build.ts';
import type { HistoryThread } from '../history/history.ts';
import { cleanWaitMs } from '../history/limits.ts';
import { cleanReadSide } from '../read-side/clean.ts';
import type { ProjectorMessage } from '../read-side/projector-thread.ts';
import type { ReadSide } from '../read-side/read-side.ts';
import { type RebuildOptions, rebuild } from '../read-side/rebuild.ts';
import type { InstallationWriteGate } from '../write-gate.ts';
import { verify } from './verify.ts';

/** The operations of an operator on an installation while it serves. Long operations run one at a time. */
export type Operations = {
  /** The reasons why the installation is not ready, as sentences; empty if it is ready. */
  readonly notReady: () => readonly string[];
  /** Warnings for the operator, whether the installation is ready or not. */
  readonly warnings: () => readonly string[];
  readonly status: () => Promise<StandaloneStatus>;
  /** Rebuilds the read models and the history.
   * @throws HttpError 409 while another operation runs */
  readonly rebuild: () => Promise<Rebuilt>;
  /** Rebuilds the read models alone.
   * @throws HttpError 409 while another operation runs */
  readonly rebuildReadModels: () => Promise<Rebuilt>;
  /** Verifies the installation. The order may name the keys of the notary to trust.
   * @throws HttpError 400 if a key is none, 409 while another operation runs */
  readonly verify: (order: BodyOf<'POST /operator/verify'>) => Promise<Verification>;
  readonly backUp: (directory: string) => Promise<BackupDone>;
  readonly pruneMedia: () => Promise<Pruned>;
  /** Erases an object. `by`: the person who gives the order.
   * @throws HttpError 404 if there is no such object, 409 if it cannot be erased */
  readonly erase: (order: BodyOf<'POST /operator/forget'>, by: string | null) => Promise<ObjectErased>;
  /** Puts an object on hold, or releases it.
   * @throws HttpError 404 if there is no such object, 409 if it is on hold already, or not on hold */
  readonly setHold: (onHold: boolean, order: BodyOf<'POST /operator/hold'>, by: string | null) => Promise<Hold>;
  /** Exports the installation. `final`: no event may follow the exported ones.
   * @throws HttpError 409 if `final` is requested while writes are open */
  readonly export: (directory: string, final: boolean) => Promise<ExportDone>;
  /** Gives the log a new incarnation, so that earlier tokens, cursors and entity tags become invalid.
   * @throws HttpError 409 while writes are open */
  readonly renew: () => Promise<Renewed>;
  /** Removes the file with the secret of the first application.
   * @throws HttpError 404 if there is none */
  readonly forgetFirst: () => { readonly file: string };
  /** Opens or closes writes. After closing them, resolves once no write is in progress any more. */
  readonly setWrites: (open: boolean) => Promise<void>;
};

export type OperationsOptions = RebuildOptions & {
  readonly readSide: Pick<ReadSide, 'ready'>;
  readonly media: Media;
  readonly history: Pick<HistoryThread, 'cleaned' | 'replace' | 'wake' | 'notary' | 'notaryRefuses'>;
  readonly tokens: Pick<SqliteTokenStore, 'clear'>;
  readonly writes: InstallationWriteGate;
  /** What the log is compared with, unless an order names other keys. */
  readonly checkpoints: EvidenceSource;
  /** The address of the API. */
  readonly api: string;
  readonly closing: () => boolean;
  /** Returns whether all HTTP threads listen. */
  readonly areThreadsListening: () => boolean;
  /** Makes the API answer with this incarnation of the log from now on. */
  readonly answerAs: (incarnation: string) => Promise<void>;
};

export const createOperations = (options: OperationsOptions): Operations => {
  const { directory, log, readSide, media, history, writes } = options;
  const oneAtATime = createOneAtATime();
  const notReady = (): readonly string[] => [
    ...(readSide.ready() ? [] : ['The read models are not complete yet.']),
    ...(options.areThreadsListening() ? [] : ['The HTTP threads do not listen yet.']),
    ...(options.closing() ? ['The server is shutting down.'] : []),
  ];
  const contradictions = contradictionsOf(log);
  return {
    notReady,
    warnings: () => [...contradictions(), ...refusalOf(history.notaryRefuses())],
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
        notary: await history.notary().then(shownNotary, () => null),
        readPosition: log.followed(),
        waitingAppends: log.waiting().events,
        memoryBytes: process.memoryUsage.rss(),
        uptimeSeconds: Math.floor(process.uptime()),
      };
    },
    rebuild: () =>
      oneAtATime(async () => {
        const rebuilt = await rebuild(options);
        await rebuildHistory(directory, log, history);
        return rebuilt;
      }),
    rebuildReadModels: () => oneAtATime(() => rebuild(options)),
    verify: (order) => oneAtATime(() => verify(options, trusting(order, options.checkpoints))),
    backUp: (into) => oneAtATime(() => backUp(directory, into)),
    pruneMedia: () => oneAtATime(() => pruneMedia(log, media)),
    erase: (order, by) => {
      const dropCopies: ErasePorts['dropCopies'] = async (_account, through) =>
        (await cleanReadSide(options, through)) && history.cleaned(through, cleanWaitMs);
      const ports: ErasePorts = { log: writes.gated(log), media, dropCopies };
      return oneAtATime(() => eraseObject(ports, order, by));
    },
    // A hold does not wait for another operation.
    setHold: (onHold, order, by) => setHold(writes.gated(log), onHold, { order, by }),
    export: (into, final) =>
      oneAtATime(async () => {
        if (final && !writes.closed()) throw conflict('Writes are open: close them before a final export.');
        if (final) await writes.close();
        return exportInto(directory, into, final);
      }),
    renew: () => oneAtATime(() => renewInstallation(options)),
    forgetFirst: () => forgetFirst(directory),
    // Opening is refused while another operation runs, which may be a final export. Closing is always allowed.
    setWrites: (open) => (open ? oneAtATime(async () => writes.open()) : writes.close()),
  };
};

const refusalOf = (reason: string | undefined): readonly string[] => (reason === undefined ? [] : [`The notary signs nothing: ${reason}`]);

const shownNotary = ({ state, reason, origin, number, time, through, position }: NotaryStatus): ShownNotary => ({
  ...{ state, number, through, position },
  ...{ reason: reason ?? null, origin: origin ?? null, time: time ?? null },
});

/** Renews the log and rebuilds the read models. If this is interrupted, the next start finds read models of another log and repeats all of
 * it. */
const renewInstallation = async (options: OperationsOptions): Promise<Renewed> => {
  const { directory, log, history, tokens, writes, answerAs } = options;
  const renewed = await renew({
    log,
    writes: { closed: async () => writes.closed() },
    // Includes the ids in the file of facts.
    shownIds: async () => highestIds(directory),
    knownFacts: async () => [],
    renewIncarnation: async (expected) => {
      await tokens.clear();
      return log.renewIncarnation(expected);
    },
  });
  await answerAs(renewed.incarnation);
  history.wake();
  await rebuild(options);
  return renewed;
};

/** Returns the contradictory events that the thread of the projector has reported so far. The caller, a readiness check, does not wait for
 * that thread: each call only requests the list for the next call. */
const contradictionsOf = (log: SqliteEventLog): (() => readonly string[]) => {
  let places: readonly string[] = [];
  let asking = false;
  const ask = async (): Promise<void> => {
    asking = true;
    places = (await log.askFollower({ kind: 'contradictions' } satisfies ProjectorMessage).catch(() => places)) as readonly string[];
    asking = false;
  };
  return () => {
    if (!asking) void ask();
    return places.length === 0 ? [] : [`Events contradict their type, stream or account, and count as erased: ${places.join(', ')}.`];
  };
};
