import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from '../../api/session.ts';
import type { Random } from '../../crash/random.ts';
import { type Entry, type Kind, kinds, type Read, type Result, type Write } from '../history/history.ts';
import { sendRequest } from './requests.ts';

const thingsMax: Readonly<Record<Kind, number>> = { pinpoints: 24, lists: 4, categories: 3, events: 10 };
const membersAtOnceMax = 4;
const readShare = 0.45;
const keyedShare = 0.5;
const againAfterMs = 60;
/** The largest number of steady reads in progress. What is due beyond it is sent later. */
const steadyReadsMax = 40;
const steadyPauseMs = 20;
/** The number of times that a keyed operation is sent before it is left for later. */
const sendingsMax = 400;

/** One account that several workers write and read at the same time. */
export type AccountLoad = {
  /** The name of the account. */
  readonly account: string;
  readonly entries: readonly Entry[];
  /** Sends requests until the end. */
  readonly run: (workers: number, random: Random, ending: () => boolean) => Promise<void>;
  /** Sends reads at a steady rate until the end, however long their responses take. */
  readonly readSteadily: (perSecond: number, random: Random, ending: () => boolean) => Promise<void>;
  /** Writes once, and reads the written object. Returns whether both were answered and the write was visible. */
  readonly probe: () => Promise<boolean>;
  /** Sends unfinished keyed operations again until they succeed. */
  readonly settle: () => Promise<void>;
  /** Reads everything after the cluster came to rest. */
  readonly readAll: () => Promise<void>;
};

type State = {
  readonly account: string;
  readonly session: Session;
  readonly entries: Entry[];
  /** The ids of acknowledged objects that were not deleted. */
  readonly known: Readonly<Record<Kind, Set<number>>>;
  /** Keyed operations that are not decided yet. */
  readonly open: Map<string, Write>;
  used: number;
};

export const accountLoad = (account: string, session: Session): AccountLoad => {
  const known = { pinpoints: new Set<number>(), lists: new Set<number>(), categories: new Set<number>(), events: new Set<number>() };
  const state: State = { account, session, entries: [], known, open: new Map(), used: 0 };
  return {
    account,
    entries: state.entries,
    run: async (workers, random, ending) => {
      await Promise.all(Array.from({ length: workers }, () => work(state, random, ending)));
    },
    readSteadily: (perSecond, random, ending) => readSteadily(state, perSecond, random, ending),
    probe: async () => {
      const written = await send(state, { type: 'create', kind: 'lists', value: next(state) });
      if (written.type !== 'done' || written.lag || written.id === undefined) return false;
      const read = await send(state, { type: 'one', kind: 'lists', id: written.id });
      const removed = await send(state, { type: 'delete', kind: 'lists', id: written.id });
      return read.type === 'seen' && removed.type === 'done';
    },
    settle: async () => {
      for (const [operation, requested] of state.open) await sendUntilDecided(state, requested, operation, () => false);
    },
    readAll: () => readAll(state),
  };
};

const work = async (state: State, random: Random, ending: () => boolean): Promise<void> => {
  while (!ending()) {
    if (random.chance(readShare)) {
      const result = await send(state, chooseRead(state, random));
      if (isRetryable(result)) await pause(againAfterMs);
      continue;
    }
    const requested = chooseWrite(state, random);
    if (requested.type !== 'edit' && requested.type !== 'delete' && requested.type !== 'remove' && random.chance(keyedShare)) {
      await sendUntilDecided(state, requested, randomUUID(), ending);
      // A decided operation may be sent once more: the response must be the same, and the write must not be repeated.
      continue;
    }
    if (isRetryable(await send(state, requested))) await pause(againAfterMs);
  }
};

const readSteadily = async (state: State, perSecond: number, random: Random, ending: () => boolean): Promise<void> => {
  const underWay = new Set<Promise<unknown>>();
  const startedMs = performance.now();
  let sent = 0;
  while (!ending()) {
    const due = ((performance.now() - startedMs) * perSecond) / 1_000;
    for (; sent < due && underWay.size < steadyReadsMax; sent += 1) {
      const read = send(state, chooseRead(state, random)).finally(() => underWay.delete(read));
      underWay.add(read);
    }
    await pause(steadyPauseMs);
  }
  await Promise.all(underWay);
};

export const isRetryable = ({ type }: Result): boolean => type === 'unavailable' || type === 'lost';

const next = (state: State): string => {
  state.used += 1;
  return `${state.account}.${state.used}`;
};

const send = async (
  state: State,
  requested: Write | Read,
  operation: string = randomUUID(),
  key?: string,
  settled = false,
): Promise<Result> => {
  const startedMs = performance.now();
  const result = await sendRequest(state.session, requested, operation, key);
  const entry = {
    operation,
    account: state.account,
    requested: requested,
    startedMs,
    endedMs: performance.now(),
    result,
    ...(settled && { settled }),
  };
  state.entries.push(entry);
  updateKnownIds(state, requested, result);
  return result;
};

const sendUntilDecided = async (state: State, requested: Write, operation: string, ending: () => boolean): Promise<void> => {
  state.open.set(operation, requested);
  for (let sendings = 0; sendings < sendingsMax; sendings += 1) {
    const result = await send(state, requested, operation, operation);
    if (!isRetryable(result)) {
      state.open.delete(operation);
      // Sends the operation once more: the response must be the same, and the write must not be repeated.
      if (result.type === 'done' && state.used % 4 === 0) await send(state, requested, operation, operation);
      return;
    }
    await pause(againAfterMs);
    if (ending()) return;
  }
};

const updateKnownIds = ({ known }: State, requested: Write | Read, result: Result): void => {
  if (result.type === 'done' && requested.type === 'create' && result.id !== undefined) known[requested.kind].add(result.id);
  if (requested.type === 'delete' && (result.type === 'done' || result.type === 'absent')) known[requested.kind].delete(requested.id);
  if (requested.type === 'one' && result.type === 'absent') known[requested.kind].delete(requested.id);
};

const chooseRead = ({ known }: State, random: Random): Read => {
  const kind = random.pick(kinds) ?? 'pinpoints';
  const id = random.pick([...known[kind]]);
  if (random.chance(0.4) && id !== undefined) return { type: 'one', kind, id };
  const list = random.pick([...known.lists]);
  if (random.chance(0.5) && list !== undefined) return { type: 'page', kind: 'pinpoints', of: list };
  const pinpoint = random.pick([...known.pinpoints]);
  if (random.chance(0.2) && pinpoint !== undefined) return { type: 'page', kind: 'events', of: pinpoint };
  return { type: 'page', kind };
};

const chooseWrite = (state: State, random: Random): Write => {
  for (;;) {
    const write = (random.pick(choices) ?? createPinpoint)(state, random);
    if (write) return write;
  }
};

type Choice = (state: State, random: Random) => Write | undefined;

const creation =
  (kind: Kind): Choice =>
  (state, random) => {
    if (state.known[kind].size >= thingsMax[kind]) return undefined;
    const pinpoint = kind === 'events' ? random.pick([...state.known.pinpoints]) : undefined;
    if (kind === 'events' && pinpoint === undefined) return undefined;
    return { type: 'create', kind, value: next(state), ...(pinpoint !== undefined && { pinpoint }) };
  };
const createPinpoint = creation('pinpoints');

const edit =
  (kind: Kind): Choice =>
  (state, random) => {
    const id = random.pick([...state.known[kind]]);
    const pinpoint = kind === 'events' ? random.pick([...state.known.pinpoints]) : undefined;
    if (id === undefined || (kind === 'events' && pinpoint === undefined)) return undefined;
    return { type: 'edit', kind, id, value: next(state), ...(pinpoint !== undefined && { pinpoint }) };
  };

const removal =
  (kind: Kind): Choice =>
  ({ known }, random) => {
    const id = random.pick([...known[kind]]);
    return id === undefined ? undefined : { type: 'delete', kind, id };
  };

const membership =
  (type: 'add' | 'remove'): Choice =>
  ({ known }, random) => {
    const list = random.pick([...known.lists]);
    const pinpoints = [...known.pinpoints].filter(() => random.chance(0.3)).slice(0, membersAtOnceMax);
    return list === undefined || pinpoints.length === 0 ? undefined : { type, list, pinpoints };
  };

const choices: readonly Choice[] = [
  createPinpoint,
  createPinpoint,
  createPinpoint,
  creation('lists'),
  creation('categories'),
  creation('events'),
  creation('events'),
  edit('pinpoints'),
  edit('pinpoints'),
  edit('lists'),
  edit('categories'),
  edit('events'),
  removal('pinpoints'),
  removal('pinpoints'),
  removal('events'),
  removal('lists'),
  membership('add'),
  membership('add'),
  membership('add'),
  membership('remove'),
];

const readAll = async (state: State): Promise<void> => {
  const pages: Read[] = [
    ...kinds.map((kind): Read => ({ type: 'page', kind })),
    ...[...state.known.lists].map((of): Read => ({ type: 'page', kind: 'pinpoints', of })),
    ...kinds.flatMap((kind) => [...state.known[kind]].slice(0, thingsMax[kind] / 2).map((id): Read => ({ type: 'one', kind, id }))),
  ];
  for (const read of pages) await send(state, read, randomUUID(), undefined, true);
};
