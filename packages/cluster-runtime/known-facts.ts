import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import { createFactsCheck, type StoreFacts } from '@waymark/event-log/facts/check.ts';
import { isRolledBack, type KnownFacts, mergeFacts } from '@waymark/event-log/facts/facts.ts';
import type { KnownLog } from '@waymark/event-log/facts/known-log.ts';
import { type FactsStore, openFacts } from '@waymark/event-log/facts/store.ts';
import type { Signer } from '@waymark/signing/signer.ts';

/** The result of comparing the log with its known facts. `unread`: not enough stores have been read yet. */
export type Verdict = 'fits' | 'rolled back' | 'unread';

/** Reads the facts of the log from Redis and MongoDB. Facts that it has once read stay known, also if the store is wiped. */
export type FactsReader = {
  /** Takes a snapshot of the known facts. The caller must call it before it reads the log's state.
   * @returns a function that compares the snapshot with that state
   * @throws LogUnavailable */
  readonly snapshot: () => (state: LogState) => Promise<Verdict>;
  /** Waits until the log can be compared with its facts, at most for the times in `paces`, or until the process stops. */
  readonly waitUntilComparable: (eventLog: Pick<EventLog, 'state'>, stopped: AbortSignal) => Promise<void>;
  /** Reads the stores once more and returns all known facts. */
  readonly all: () => Promise<readonly KnownFacts[]>;
  readonly close: () => void;
};

export type FactsReaderOptions = {
  /** The relay writes facts to Redis after it has read the topic. So facts in Redis include what Kafka knows. */
  readonly redis: FactsStore;
  readonly mongodb: FactsStore;
  readonly log: KnownLog;
  readonly signer: Signer;
  readonly installation: string;
  readonly paces?: Paces;
};

type Paces = {
  readonly everyMs: number;
  /** The interval until the first facts are there. */
  readonly firstEveryMs: number;
  /** How long a starting process waits for facts if Redis has none. After that time it assumes that no relay writes them. */
  readonly relayMs: number;
  /** How long a starting process waits for a Redis that does not respond. */
  readonly redisMs: number;
};

const usualPaces: Paces = { everyMs: 1_000, firstEveryMs: 100, relayMs: 30_000, redisMs: 5_000 };
/** The number of stores and incarnations whose facts are kept; the oldest are dropped. */
const keptMax = 20;

/** Keeps the facts of each store and incarnation, merged. */
const createKept = () => {
  const known = new Map<string, StoreFacts>();
  return {
    keep: (source: string, facts: KnownFacts): void => {
      const key = `${source} ${facts.incarnation}`;
      const before = known.get(key)?.facts;
      known.set(key, { source, facts: before ? mergeFacts(before, facts) : facts });
      for (const oldest of known.keys()) if (known.size > keptMax) known.delete(oldest);
    },
    all: (): readonly StoreFacts[] => [...known.values()],
  };
};

export const createFactsReader = ({ redis, mongodb, log, signer, installation, paces = usualPaces }: FactsReaderOptions): FactsReader => {
  const closing = new AbortController();
  const check = createFactsCheck(log);
  const known = createKept();
  const startedMs = performance.now();
  let [wasRead, redisAnswers, redisKnows] = [false, false, false];

  const readFrom = async (source: string, store: FactsStore): Promise<'facts' | 'none' | 'unavailable'> => {
    try {
      const facts = openFacts(signer, installation, await store.read());
      if (facts) known.keep(source, facts);
      return facts ? 'facts' : 'none';
    } catch {
      return 'unavailable';
    }
  };
  const read = async (): Promise<void> => {
    const [inRedis] = await Promise.all([readFrom('Redis', redis), readFrom('MongoDB', mongodb)]);
    redisAnswers ||= inRedis !== 'unavailable';
    redisKnows ||= inRedis === 'facts';
    wasRead = true;
  };
  const isComplete = (): boolean =>
    wasRead && (redisKnows || performance.now() - startedMs > (redisAnswers ? paces.relayMs : paces.redisMs));
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await read();
      const ms = isComplete() ? paces.everyMs : paces.firstEveryMs;
      await pause(ms, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void poll();

  const snapshot: FactsReader['snapshot'] = () => {
    const [all, complete] = [known.all(), isComplete()];
    return async (state) => {
      for (const one of all) if (isRolledBack(await check(one, state))) return 'rolled back';
      return complete ? 'fits' : 'unread';
    };
  };
  const isComparable = async (eventLog: Pick<EventLog, 'state'>): Promise<boolean> => {
    const compare = snapshot();
    const asked = async () => compare(await eventLog.state());
    return isComplete() || (await asked().catch(() => 'unread')) !== 'unread';
  };

  return {
    snapshot,
    waitUntilComparable: async (eventLog, stopped) => {
      const signal = AbortSignal.any([stopped, closing.signal]);
      while (!signal.aborted && !(await isComparable(eventLog)))
        await pause(paces.firstEveryMs, undefined, { signal }).catch(() => undefined);
    },
    all: async () => {
      await read();
      return known.all().map(({ facts }) => facts);
    },
    close: () => closing.abort(),
  };
};
