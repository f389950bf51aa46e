import { randomUUID } from 'node:crypto';
import { BACKWARDS, END } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { AppendUndecided, type EventLog, type LogState, LogUnavailable } from './event-log.ts';
import type { Reading } from './eventstoredb-calls.ts';
import { recorded } from './eventstoredb-events.ts';
import { headIn } from './eventstoredb-head.ts';
import { newEventId, seal } from './seal.ts';

/** A housekeeping stream whose last event says which log this is. */
const identityStream = 'log-identity';

export type Identity = {
  readonly state: EventLog['state'];
  /** The log's name; undefined where nobody has named it yet. @throws LogUnavailable */
  readonly incarnation: () => Promise<string | undefined>;
  /** Gives the log another name, if it still has the one expected.
   * @returns the new one; undefined where somebody else was faster
   * @throws LogUnavailable, AppendUndecided */
  readonly renewIncarnation: (expected: string) => Promise<string | undefined>;
};

export const identifying = (read: Reading, append: EventLog['append'], stream = identityStream): Identity => {
  const head = headIn(read);
  const lastNaming = async (): Promise<RecordedEvent | undefined> => {
    const [end] = await read((client) =>
      client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true }),
    );
    return end?.event && recorded(end.event);
  };
  const incarnation = async (): Promise<string | undefined> => {
    const named = await lastNaming();
    return named && incarnationIn(named);
  };
  /** Whoever comes first names the log; what stands there afterwards counts for all. */
  const nameFirst = async (): Promise<string> => {
    await append(stream, [naming(randomUUID())], 'none').catch(undecided);
    const name = await incarnation();
    if (name === undefined) throw new LogUnavailable('The event log has no name yet.');
    return name;
  };
  return {
    incarnation,
    state: async (): Promise<LogState> => {
      // The head first: where the log is named just now, that counts as nothing that was appended before.
      const [stands, name] = await Promise.all([head(), incarnation()]);
      return { head: stands, incarnation: name ?? (await nameFirst()) };
    },
    renewIncarnation: async (expected) => {
      const named = await lastNaming();
      if (named === undefined || incarnationIn(named) !== expected) return undefined;
      const next = randomUUID();
      const { outcome } = await append(stream, [naming(next)], named.revision);
      return outcome === 'appended' ? next : undefined;
    },
  };
};

/** What became of it shows when it is read. */
const undecided = (error: unknown): void => {
  if (!(error instanceof AppendUndecided)) throw error;
};

const naming = (incarnation: string) =>
  seal({
    id: newEventId(),
    type: 'LogNamed',
    version: 1,
    content: JSON.stringify({ incarnation }),
    account: '',
    origin: { actor: 'operator', token: null, request: null },
    sanitized: false,
  });

const incarnationIn = ({ content }: RecordedEvent): string => (JSON.parse(content ?? '{}') as { incarnation: string }).incarnation;
