import { randomUUID } from 'node:crypto';
import { FORWARDS, START } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { installationStream } from '@waymark/domain/streams.ts';
import { AppendUndecided, type EventLog, type LogState, LogUnavailable } from '../event-log.ts';
import { operators, sealHousekeeping } from '../seal.ts';
import type { LogReads } from './calls.ts';
import { fromStoredEvent } from './events.ts';
import { headIn, type LogPlace } from './head.ts';
import { endOf } from './last-revisions.ts';
import { namesPageMax } from './limits.ts';

/** The housekeeping stream whose last event names the log. */
const identityStream = 'log-identity';

export type Identity = {
  readonly state: EventLog['state'];
  /** Returns the log's incarnation; undefined where the log has none yet.
   * @throws LogUnavailable */
  readonly incarnation: () => Promise<string | undefined>;
  /** Returns the former incarnations, and those that a renewal has set aside.
   * @throws LogUnavailable */
  readonly formerNames: () => Promise<readonly string[]>;
  /** Returns the place of the log's last event.
   * @throws LogUnavailable */
  readonly end: () => Promise<LogPlace | undefined>;
  /** Gives the log another incarnation, if it still has the expected one.
   * @param aside incarnations of this log that it does not know because it was rolled back: from now on they count as former ones
   * @returns the new one; undefined where another process renewed it first
   * @throws LogUnavailable, AppendUndecided */
  readonly renewIncarnation: (expected: string, aside?: readonly string[]) => Promise<string | undefined>;
};

/** Creates the identity of a log. Tests pass other streams than the defaults.
 * @param stream that holds the log's incarnation
 * @param installation stream that holds the id of its installation */
export const createIdentity = (
  read: LogReads,
  append: EventLog['append'],
  stream = identityStream,
  installation = installationStream,
): Identity => {
  const installationOf = installationIn(read, append, installation);
  const head = headIn(read);
  const lastNaming = async (): Promise<RecordedEvent | undefined> => {
    const end = await endOf(read, stream);
    return end && fromStoredEvent(end);
  };
  const incarnation = async (): Promise<string | undefined> => {
    const named = await lastNaming();
    return named && incarnationIn(named);
  };
  const formerNames = async (): Promise<readonly string[]> => {
    const names: string[] = [];
    for (let from = 0; ; from += namesPageMax) {
      const fromRevision = BigInt(from);
      const page = await read((client) => client.readStream(stream, { fromRevision, maxCount: namesPageMax, requiresLeader: true }));
      for (const { event } of page) {
        const named = event && fromStoredEvent(event);
        if (named) names.push(...(namingIn(named).aside ?? []), incarnationIn(named));
      }
      if (page.length < namesPageMax) return names.slice(0, -1);
    }
  };
  /** Gives the log its first incarnation. The first process to append wins; every process then reads the name from the stream. */
  const nameFirst = async (): Promise<string> => {
    await append(stream, [namingOf(randomUUID(), [])], 'none').catch(undecided);
    const name = await incarnation();
    if (name === undefined) throw new LogUnavailable('The event log has no name yet.');
    return name;
  };
  return {
    incarnation,
    formerNames,
    end: head,
    state: async (): Promise<LogState> => {
      // The head is read before the log is named: where the log is named just now, the naming event does not count as appended before.
      const [position, name] = await Promise.all([head(), incarnation()]);
      const named = name ?? (await nameFirst());
      return { head: position?.position ?? 0, incarnation: named, installation: await installationOf(named) };
    },
    renewIncarnation: async (expected, aside = []) => {
      const named = await lastNaming();
      if (named === undefined || incarnationIn(named) !== expected) return undefined;
      const next = randomUUID();
      const known = [...(await formerNames()), expected];
      const forgotten = aside.filter((name) => !known.includes(name));
      const { outcome } = await append(stream, [namingOf(next, forgotten)], named.revision);
      return outcome === 'appended' ? next : undefined;
    },
  };
};

/** Returns a function that reads the installation of a log that has a name, and creates one where the log has none. It reads once for each
 * incarnation: as long as the log has its name, the installation never changes. */
const installationIn = (read: LogReads, append: EventLog['append'], stream: string): ((incarnation: string) => Promise<string>) => {
  let known: { readonly incarnation: string; readonly installation: string } | undefined;
  const first = async (): Promise<string | undefined> => {
    const [one] = await read((client) =>
      client.readStream(stream, { direction: FORWARDS, fromRevision: START, maxCount: 1, requiresLeader: true }),
    );
    const event = one?.event && fromStoredEvent(one.event);
    return event && (JSON.parse(event.content ?? '{}') as StoredInstallation).installation;
  };
  /** Creates the id of the installation. Of several simultaneous appends, one is first, and its id counts for all. */
  const give = async (): Promise<string> => {
    await append(stream, [fact('InstallationNamed', { installation: randomUUID() } satisfies StoredInstallation)], 'none').catch(undecided);
    const installation = await first();
    if (installation === undefined) throw new LogUnavailable('The event log belongs to no installation yet.');
    return installation;
  };
  return async (incarnation) => {
    if (known?.incarnation !== incarnation) known = { incarnation, installation: (await first()) ?? (await give()) };
    return known.installation;
  };
};

/** Ignores an undecided append: a later read shows its outcome. */
const undecided = (error: unknown): void => {
  if (!(error instanceof AppendUndecided)) throw error;
};

/** The content of `LogNamed`; for `aside`, see `renewIncarnation`. Stored: never rename. */
type StoredName = { readonly incarnation: string; readonly aside?: readonly string[] };
/** The content of `InstallationNamed`. Stored: never rename. */
type StoredInstallation = { readonly installation: string };

const namingOf = (name: string, others: readonly string[]) =>
  fact('LogNamed', { incarnation: name, ...(others.length > 0 && { aside: others }) } satisfies StoredName);

const fact = (type: string, content: object) => sealHousekeeping({ type, version: 1, content, origin: operators });

const namingIn = ({ content }: RecordedEvent): StoredName => JSON.parse(content ?? '{}');
const incarnationIn = (event: RecordedEvent): string => namingIn(event).incarnation;
