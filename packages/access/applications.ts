import { createCache } from '@waymark/caches/cache.ts';
import { applicationDecider } from '@waymark/domain/application/decide.ts';
import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import { type ApplicationState, lastSuspension } from '@waymark/domain/application/state.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { applicationStream, isApplicationId } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { entriesOf } from '@waymark/http/limits.ts';
import type { ApplicationDocument, ReadModels } from '@waymark/read-models/read-models.ts';
import { type SharedNumber, sharedNumber } from '@waymark/threads/shared-number.ts';
import { accessesCached, knowledgeFreshMs } from './limits.ts';

/** The known state of an application, at a revision of its stream. */
export type KnownApplication = {
  readonly state: ApplicationState;
  /** -1 if the application never existed. */
  readonly revision: number;
  /** The revision of the last suspension; -1 if there was none. Tokens issued before it are invalid. */
  readonly suspended: number;
  /** The time at which the log was queried for it, on the clock of `performance.now()`, and the number of changes that were known then. */
  readonly confirmedAtMs: number;
  readonly changes: number;
};

export type Applications = {
  /** Returns what this process has cached, however old. */
  readonly known: (application: string) => KnownApplication | undefined;
  /** The number of changes of applications that operators have made in this process, in any of its threads. What was known before the last
   * change is no longer fresh. */
  readonly changes: SharedNumber;
  /** Returns a state that is at most `knowledgeFreshMs` old, and not older than the last change.
   * @throws LogUnavailable */
  readonly find: (application: string) => Promise<KnownApplication>;
  /** Returns the present state.
   * @param atLeast a revision that the stream is known to have: an older state is not returned
   * @throws LogUnavailable */
  readonly refresh: (application: string, atLeast?: number) => Promise<KnownApplication>;
};

const neverConfirmed = { confirmedAtMs: 0, changes: 0 };
const unknown: KnownApplication = { state: applicationDecider.initial, revision: -1, suspended: -1, ...neverConfirmed };

export type KnownApplicationsOptions = {
  /** A process that only reads may use these read models while the log is unavailable: their state is as new as the other documents that it
   * reads from them. */
  readonly models?: Pick<ReadModels, 'application'>;
  /** The memory of the process. The cache takes a part of it. */
  readonly memoryBytes?: number;
  /** By default, a number that only this thread changes. */
  readonly changes?: SharedNumber;
};

/** Reads applications from the log and caches them. One query of the stream's last revision renews the cached state for all concurrent
 * callers. */
export const createApplications = (
  log: EventLog,
  { models, memoryBytes = Number.POSITIVE_INFINITY, changes = sharedNumber() }: KnownApplicationsOptions = {},
): Applications => {
  const known = createCache<string, KnownApplication>(entriesOf(accessesCached, memoryBytes));
  const asked = new Map<string, { readonly changes: number; readonly answer: Promise<KnownApplication> }>();

  const readState = async (id: string, atLeast: number): Promise<KnownApplication> => {
    try {
      return await readFromLog(log, id, known.get(id) ?? unknown);
    } catch (error) {
      if (!models || !(error instanceof LogUnavailable)) throw error;
      const row = await models.application(id);
      const newest = newer(row && knownBy(row), known.get(id));
      if (newest === undefined || newest.revision < atLeast) throw error;
      return newest;
    }
  };

  const confirm = async (id: string, atLeast = -1): Promise<KnownApplication> => {
    const confirmed = { confirmedAtMs: performance.now(), changes: Atomics.load(changes, 0) };
    const application = { ...(await readState(id, atLeast)), ...confirmed };
    const isOvertaken = (known.get(id)?.confirmedAtMs ?? 0) > confirmed.confirmedAtMs;
    if (application.revision >= 0 && !isOvertaken) known.set(id, application);
    return application;
  };

  const find = (id: string): Promise<KnownApplication> => {
    const application = known.get(id);
    const now = Atomics.load(changes, 0);
    const isFresh = application?.changes === now && performance.now() - application.confirmedAtMs < knowledgeFreshMs;
    if (application && isFresh) return Promise.resolve(application);
    const running = asked.get(id);
    if (running?.changes === now) return running.answer;
    const answer = confirm(id).finally(() => {
      if (asked.get(id)?.answer === answer) asked.delete(id);
    });
    asked.set(id, { changes: now, answer });
    return answer;
  };

  return { changes, known: (id) => known.get(id), find, refresh: confirm };
};

const knownBy = (row: ApplicationDocument): KnownApplication => {
  const { status, account, name, scopes, secrets, revision, suspended } = row;
  const state: ApplicationState = status === 'deleted' ? { status, account } : { status, account, name, scopes, secrets };
  return { state, revision, suspended, ...neverConfirmed };
};

/** Returns the newer of the read models' state and the cached state: either may be behind. */
const newer = (one: KnownApplication | undefined, other: KnownApplication | undefined): KnownApplication | undefined =>
  one && other ? (one.revision > other.revision ? one : other) : (one ?? other);

/** Clients send any text as an id. The log is asked only for one that an application can have. */
const readFromLog = async (log: EventLog, id: string, from: KnownApplication): Promise<KnownApplication> => {
  if (!isApplicationId(id)) return from;
  const stream = applicationStream(id);
  const [last] = await log.lastRevisions([stream]);
  if (typeof last !== 'number' || last <= from.revision) return from;
  let application = from;
  for await (const event of readEvents(log.read, stream, from.revision + 1)) application = applyEvent(application, event);
  return application;
};

/** Applies an event. An erased event changes only the revision. */
const applyEvent = (application: KnownApplication, event: RecordedEvent): KnownApplication => {
  const fact = decode(event) as ApplicationEvent | undefined;
  return {
    ...application,
    state: fact === undefined ? application.state : applicationDecider.evolve(application.state, fact),
    revision: event.revision,
    suspended: fact === undefined ? application.suspended : lastSuspension(fact, event.revision, application.suspended),
  };
};
