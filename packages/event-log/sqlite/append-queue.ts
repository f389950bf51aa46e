import { type Appended, AppendUndecided, type EventLog, LogUnavailable } from '../event-log.ts';
import { type Outcome, type PackedAppend, packAppend } from './messages.ts';
import type { Load, SharedState } from './shared-state.ts';

/** The appends of a thread that wait for the writer. Those that arrive in one turn of the event loop are sent in one message, and become one commit.
 * Where they are many, the first ones are sent at once, so that the writer works while the thread decides the others. */
export type AppendQueue = {
  /** @throws LogUnavailable, AppendUndecided */
  readonly append: EventLog['append'];
  /** Settles the appends of the message that was sent first. */
  readonly settle: (outcomes: readonly Outcome[]) => void;
  /** Accepts no more appends. Rejects those that were sent as undecided, and those that were not sent as unavailable. */
  readonly abandon: (reason: string) => void;
  /** Accepts no more appends. Resolves once all accepted appends are settled. */
  readonly drain: () => Promise<void>;
};

/** How much may wait in all threads, sent or not, before further appends are refused. */
export const waitingMax: Load = { events: 20_000, characters: 64_000_000 };
/** How much one message holds. */
const messageMax: Load = { events: 1_000, characters: 4_000_000 };
/** How many messages the writer holds: the one in progress and the next one. */
export const messagesInFlightMax = 2;
/** How many gathered appends are sent at once. Fewer are sent at the end of the turn: a message costs more than the rest of an append. */
export const appendsAtOnce = 32;

type Caller = { readonly resolve: (appended: Appended) => void; readonly reject: (error: Error) => void };
type Message = { readonly appends: PackedAppend[]; readonly callers: Caller[]; load: Load };

export const createAppendQueue = (state: SharedState, send: (appends: readonly PackedAppend[]) => void): AppendQueue => {
  const gathered: Message[] = [];
  const inFlight: Message[] = [];
  const drained = Promise.withResolvers<void>();
  let closed: string | undefined;
  let scheduled = false;

  const sendGathered = (): void => {
    scheduled = false;
    while (inFlight.length < messagesInFlightMax) {
      const message = gathered.shift();
      if (message === undefined) return;
      inFlight.push(message);
      send(message.appends);
    }
  };
  const schedule = (): void => {
    if (scheduled || inFlight.length >= messagesInFlightMax) return;
    scheduled = true;
    setImmediate(sendGathered);
  };
  const enqueue = (append: PackedAppend, caller: Caller): void => {
    const load = loadOf(append);
    if (!state.addWaiting(load, waitingMax)) throw new LogUnavailable('Too many appends are waiting for the event log.');
    const message = gather(gathered, append, load, caller);
    if (message.appends.length >= appendsAtOnce) sendGathered();
    else schedule();
  };
  const settle = (outcomes: readonly Outcome[]): void => {
    const message = inFlight.shift();
    if (message === undefined) return;
    state.removeWaiting(message.load);
    for (const [index, caller] of message.callers.entries()) answer(caller, outcomes[index]);
    if (gathered.length > 0) schedule();
    else if (closed !== undefined && inFlight.length === 0) drained.resolve();
  };
  const abandon = (reason: string): void => {
    closed = reason;
    for (const { reject } of callersOf(inFlight.splice(0))) reject(new AppendUndecided(reason));
    for (const { reject } of callersOf(gathered.splice(0))) reject(new LogUnavailable(reason));
    drained.resolve();
  };
  const drain = async (): Promise<void> => {
    closed ??= 'The event log is closed.';
    if (inFlight.length + gathered.length > 0) await drained.promise;
  };
  const append: AppendQueue['append'] = (stream, events, expected, options = {}) =>
    new Promise((resolve, reject) => {
      if (closed !== undefined) throw new LogUnavailable(closed);
      if (events.length === 0) throw new RangeError('There is nothing to append.');
      enqueue(packAppend(stream, expected, events, options), { resolve, reject });
    });
  return { append, settle, abandon, drain };
};

/** Adds an append to the last message, or to a new one where the last one is full. Returns the message. */
const gather = (gathered: Message[], append: PackedAppend, load: Load, caller: Caller): Message => {
  let message = gathered.at(-1);
  if (message === undefined || exceeds(plus(message.load, load), messageMax)) {
    message = { appends: [], callers: [], load: nothing };
    gathered.push(message);
  }
  message.appends.push(append);
  message.callers.push(caller);
  message.load = plus(message.load, load);
  return message;
};

const answer = ({ resolve, reject }: Caller, outcome: Outcome | undefined): void => {
  if (outcome === 'conflict') resolve({ outcome });
  else if (outcome === 'unavailable') reject(new LogUnavailable('The event log cannot be written.'));
  else if (outcome === 'undecided' || outcome === undefined) reject(new AppendUndecided('A commit was interrupted.'));
  else resolve({ outcome: 'appended', revision: outcome[0], position: outcome[1] });
};

const callersOf = (messages: readonly Message[]): Caller[] => messages.flatMap(({ callers }) => callers);

const nothing: Load = { events: 0, characters: 0 };

const loadOf = ([, , events]: PackedAppend): Load => ({
  events: events.length,
  characters: events.reduce((sum, [envelope, , content]) => sum + envelope.length + (content?.length ?? 0), 0),
});

const plus = (one: Load, other: Load): Load => ({
  events: one.events + other.events,
  characters: one.characters + other.characters,
});

const exceeds = (load: Load, max: Load): boolean => load.events > max.events || load.characters > max.characters;
