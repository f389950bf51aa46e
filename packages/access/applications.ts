import { applicationDecider } from '@waymark/domain/application/decide.ts';
import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import type { ApplicationState } from '@waymark/domain/application/state.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { applicationStream } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { entriesOf } from '@waymark/http/limits.ts';
import type { ApplicationDocument, ReadModels } from '@waymark/read-models/read-models.ts';
import { LRUCache } from 'lru-cache';
import { accessesCached, knowledgeFreshMs } from './limits.ts';

/** What is known of an application, as of a revision of its stream. */
export type KnownApplication = {
  readonly state: ApplicationState;
  /** -1 where it never existed. */
  readonly revision: number;
  /** Revision of the last suspension; -1 if there was none. Tokens issued before it are no longer good. */
  readonly suspended: number;
  /** When the log was asked for it, as `performance.now()` tells it. */
  readonly confirmedAtMs: number;
};

export type Applications = {
  /** What this process remembers, however old. */
  readonly known: (application: string) => KnownApplication | undefined;
  /** At most `knowledgeFreshMs` old. @throws LogUnavailable */
  readonly find: (application: string) => Promise<KnownApplication>;
  /** As of now. `atLeast`: a revision that its stream is known to have; nothing older is told in place of it. @throws LogUnavailable */
  readonly refresh: (application: string, atLeast?: number) => Promise<KnownApplication>;
};

const unknown: KnownApplication = { state: applicationDecider.initial, revision: -1, suspended: -1, confirmedAtMs: 0 };

export type KnownApplicationsOptions = {
  /** Who only reads may go on with this read side where the log does not answer: it is as new as what is read from it. */
  readonly models?: Pick<ReadModels, 'application'>;
  /** Of the process: what it remembers takes a part of it. */
  readonly memoryBytes?: number;
};

/** Applications from the log: one look at the stream's last revision renews what is known for all who wait. */
export const createApplications = (
  log: EventLog,
  { models, memoryBytes = Number.POSITIVE_INFINITY }: KnownApplicationsOptions = {},
): Applications => {
  const known = new LRUCache<string, KnownApplication>({ max: entriesOf(accessesCached, memoryBytes) });
  const asked = new Map<string, Promise<KnownApplication>>();

  const told = async (id: string, atLeast: number): Promise<KnownApplication> => {
    try {
      return await caughtUp(log, id, known.get(id) ?? unknown);
    } catch (error) {
      if (!models || !(error instanceof LogUnavailable)) throw error;
      const row = await models.application(id);
      const newest = newer(row && knownBy(row), known.get(id));
      if (newest === undefined || newest.revision < atLeast) throw error;
      return newest;
    }
  };

  const confirm = async (id: string, atLeast = -1): Promise<KnownApplication> => {
    const confirmedAtMs = performance.now();
    const application = { ...(await told(id, atLeast)), confirmedAtMs };
    const isOvertaken = (known.get(id)?.confirmedAtMs ?? 0) > confirmedAtMs;
    if (application.revision >= 0 && !isOvertaken) known.set(id, application);
    return application;
  };

  const find = (id: string): Promise<KnownApplication> => {
    const application = known.get(id);
    if (application && performance.now() - application.confirmedAtMs < knowledgeFreshMs) return Promise.resolve(application);
    const under = asked.get(id) ?? confirm(id).finally(() => asked.delete(id));
    asked.set(id, under);
    return under;
  };

  return { known: (id) => known.get(id), find, refresh: confirm };
};

const knownBy = (row: ApplicationDocument): KnownApplication => {
  const { status, account, name, scopes, secrets, revision, suspended } = row;
  const state: ApplicationState = status === 'deleted' ? { status, account } : { status, account, name, scopes, secrets };
  return { state, revision, suspended, confirmedAtMs: 0 };
};

/** What the read side says, and what this process knows from before: either may be behind. */
const newer = (one: KnownApplication | undefined, other: KnownApplication | undefined): KnownApplication | undefined =>
  one && other ? (one.revision > other.revision ? one : other) : (one ?? other);

const caughtUp = async (log: EventLog, id: string, from: KnownApplication): Promise<KnownApplication> => {
  const stream = applicationStream(id);
  const [last] = await log.lastRevisions([stream]);
  let application = from;
  while (typeof last === 'number' && application.revision < last) {
    const events = await log.read(stream, application.revision + 1);
    if (events.length === 0) return application;
    application = events.reduce(after, application);
  }
  return application;
};

/** What was erased changes nothing any more. */
const after = (application: KnownApplication, event: RecordedEvent): KnownApplication => {
  const fact = decode(event) as ApplicationEvent | undefined;
  return {
    ...application,
    state: fact === undefined ? application.state : applicationDecider.evolve(application.state, fact),
    revision: event.revision,
    suspended: fact?.type === 'ApplicationSuspended' ? event.revision : application.suspended,
  };
};
