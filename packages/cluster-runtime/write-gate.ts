import { writesStream } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { operators, sealHousekeeping } from '@waymark/event-log/seal.ts';
import { createWriteGate, type WriteGate, writesClosed } from '@waymark/operations/write-gate.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import type { FactsReader } from './known-facts.ts';

/** Decides whether a cluster accepts writes. Every process reads the decision from the log; a log that was rolled back accepts none. The
 * refusal is at most `writeGateKnownMs` old, as are the results of all functions of this type. */
export type ClusterWriteGate = WriteGate & {
  /** Returns whether writes are closed.
   * @throws LogUnavailable */
  readonly closed: () => Promise<boolean>;
  /** Returns, as a sentence, that the log was rolled back: it lacks events that the read models or the known facts contain. Also returns a
   * sentence while that is not known yet, because the log has not answered since the start, or the facts were not read. Returns undefined if the
   * log is complete, and if it was when it last answered. */
  readonly rolledBack: () => Promise<string | undefined>;
  /** Returns the state of writes. `closed`: none are accepted, and no append is in progress. */
  readonly state: () => Promise<'open' | 'closed' | 'unknown'>;
  /** Opens or closes writes for all processes. A process may act on its cached state until that expires.
   * @throws LogUnavailable, AppendUndecided */
  readonly set: (open: boolean) => Promise<void>;
};

export type ClusterWriteGateOptions = {
  readonly log: EventLog;
  /** The incarnation of the log that the process uses. */
  readonly incarnation: string;
  /** Returns the highest position that the read models were ever known to have reached. */
  readonly furthest: () => ReadPosition | undefined;
  /** The known facts of the log in the other stores. */
  readonly facts?: Pick<FactsReader, 'snapshot'>;
};

/** The maximum age of a state that a write is accepted on. */
export const writeGateKnownMs = 1_000;
/** How often the log is asked for a state of that age. */
const asksMax = 3;
const soonMs = 1_000;

const rolledBackText = 'The event log ends before data that was computed from it: it was rolled back and must be renewed (waymark renew).';
const unreadText = 'The known facts of the event log have not been read yet.';

type KnownState = {
  readonly closed: boolean;
  readonly refused: string | undefined;
  readonly rolledBack: string | undefined;
  readonly untilMs: number;
};

export const createClusterWriteGate = ({ log, incarnation, furthest, facts }: ClusterWriteGateOptions): ClusterWriteGate => {
  let last: KnownState | undefined;
  let asking: Promise<KnownState> | undefined;

  const ask = async (): Promise<KnownState> => {
    const untilMs = performance.now() + writeGateKnownMs;
    // Take the position of the read models and the known facts first. The log's state is read after them: if it is behind them, the log was
    // rolled back.
    const [made, compare] = [furthest(), facts?.snapshot()];
    const [state, closed] = await Promise.all([log.state(), areClosed(log)]);
    const isShorter = made !== undefined && made.incarnation === state.incarnation && made.position > state.head;
    const verdict = isShorter ? 'rolled back' : ((await compare?.(state)) ?? 'fits');
    const rolledBack = putBackTexts[verdict];
    last = { closed, rolledBack, untilMs, refused: refusal({ closed, rolledBack, isOther: state.incarnation !== incarnation }) };
    return last;
  };
  const known = (): Promise<KnownState> | KnownState => {
    if (last && performance.now() < last.untilMs) return last;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  /** Returns the refusal in a state that may be too old for a write once the log has returned it. */
  const askedRefusal = async (): Promise<string | undefined> => {
    for (let asks = 0; asks < asksMax; asks += 1) {
      const { refused, untilMs } = await known();
      if (refused !== undefined || performance.now() < untilMs) return refused;
    }
    throw new LogUnavailable('The event log answers too slowly to decide whether writes are accepted.');
  };
  const gate = createWriteGate(() => {
    const state = known();
    return state instanceof Promise ? askedRefusal() : state.refused;
  });

  return {
    ...gate,
    closed: async () => (await known()).closed,
    rolledBack: async () => {
      const state = (await soon(known())) ?? last;
      return state === undefined ? unreadText : state.rolledBack;
    },
    state: async () => {
      const told = await soon(known());
      if (told === undefined) return 'unknown';
      return told.closed && gate.inProgress.size === 0 ? 'closed' : 'open';
    },
    set: async (open) => {
      await setState(log, open);
      if (last) last = { ...last, untilMs: 0 };
    },
  };
};

const putBackTexts = { fits: undefined, 'rolled back': rolledBackText, unread: unreadText } as const;

type Reasons = { readonly closed: boolean; readonly rolledBack: string | undefined; readonly isOther: boolean };

const refusal = ({ closed, rolledBack, isOther }: Reasons): string | undefined => {
  if (isOther) return 'The event log has another incarnation than before.';
  return rolledBack ?? (closed ? writesClosed : undefined);
};

/** Returns undefined if the log does not respond soon: a health request must not wait for it. */
const soon = async (known: Promise<KnownState> | KnownState): Promise<KnownState | undefined> => {
  try {
    return await withDeadline(soonMs, Promise.resolve(known), () => undefined);
  } catch (error) {
    if (error instanceof LogUnavailable) return undefined;
    throw error;
  }
};

const readState = async (log: EventLog) => {
  const { revision, event } = await readEnd(log, writesStream);
  return { revision, type: event?.envelope.type };
};

const areClosed = async (log: EventLog): Promise<boolean> => (await readState(log)).type === closedType;

const closedType = 'WritesClosed';
const openedType = 'WritesOpened';
const triesMax = 5;

/** Appends until the last event of the stream has the wanted type. */
const setState = async (log: EventLog, open: boolean): Promise<void> => {
  const type = open ? openedType : closedType;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const said = await readState(log);
    if ((said.type ?? openedType) === type) return;
    const { outcome } = await log.append(writesStream, [stateEvent(type)], said.revision);
    if (outcome === 'appended') return;
  }
  throw new LogUnavailable('Other processes keep opening and closing writes.');
};

const stateEvent = (type: string) => sealHousekeeping({ type, version: 1, content: {}, origin: operators });
