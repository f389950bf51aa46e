import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog, LogState } from '@waymark/event-log/event-log.ts';
import { createFactsCheck, type Known } from '@waymark/event-log/facts/check.ts';
import { isRolledBack, type KnownFacts, mergeFacts } from '@waymark/event-log/facts/facts.ts';
import type { KnownLog } from '@waymark/event-log/facts/known-log.ts';
import { type FactsStore, openFacts } from '@waymark/event-log/facts/store.ts';
import type { Signer } from '@waymark/signing/signer.ts';

/** What the stores know of a log. `unread`: not enough of them has been read yet to tell. */
export type Verdict = 'fits' | 'rolled back' | 'unread';

/** The facts that Redis and MongoDB keep of the log, as this process has read them. What it has once read stays known, also where it was wiped. */
export type FactsReader = {
  /** Takes what is known; to be called before the log is asked. @returns what then compares it with the log @throws LogUnavailable */
  readonly look: () => (state: LogState) => Promise<Verdict>;
  /** Waits until something is known of the log's state, for as long as the paces say at most, or until the process stops. */
  readonly waitUntilTold: (eventLog: Pick<EventLog, 'state'>, stopped: AbortSignal) => Promise<void>;
  /** Reads the stores once more, and gives all that is known by now. */
  readonly all: () => Promise<readonly KnownFacts[]>;
  readonly close: () => void;
};

export type FactsReaderOptions = {
  /** The relay writes to it once it has read the topic: facts there say that what Kafka knows is known. */
  readonly redis: FactsStore;
  readonly mongodb: FactsStore;
  readonly log: KnownLog;
  readonly signer: Signer;
  readonly installation: string;
  readonly paces?: Paces;
};

type Paces = {
  readonly everyMs: number;
  /** Until the first facts are there. */
  readonly firstEveryMs: number;
  /** A process that starts waits so long for facts in a Redis that has none; then there is no relay that would write them. */
  readonly relayMs: number;
  /** And so long for a Redis that does not answer. */
  readonly redisMs: number;
};

const usualPaces: Paces = { everyMs: 1_000, firstEveryMs: 100, relayMs: 30_000, redisMs: 5_000 };
/** Facts of so many stores and incarnations are kept; the oldest give way. */
const keptMax = 20;

/** What each store has said of each incarnation, put together. */
const createKept = () => {
  const known = new Map<string, Known>();
  return {
    keep: (source: string, facts: KnownFacts): void => {
      const key = `${source} ${facts.incarnation}`;
      const before = known.get(key)?.facts;
      known.set(key, { source, facts: before ? mergeFacts(before, facts) : facts });
      for (const oldest of known.keys()) if (known.size > keptMax) known.delete(oldest);
    },
    all: (): readonly Known[] => [...known.values()],
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
  const goOn = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await read();
      const ms = isComplete() ? paces.everyMs : paces.firstEveryMs;
      await pause(ms, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void goOn();

  const look: FactsReader['look'] = () => {
    const [all, complete] = [known.all(), isComplete()];
    return async (state) => {
      for (const one of all) if (isRolledBack(await check(one, state))) return 'rolled back';
      return complete ? 'fits' : 'unread';
    };
  };
  const isTold = async (eventLog: Pick<EventLog, 'state'>): Promise<boolean> => {
    const compare = look();
    const asked = async () => compare(await eventLog.state());
    return isComplete() || (await asked().catch(() => 'unread')) !== 'unread';
  };

  return {
    look,
    waitUntilTold: async (eventLog, stopped) => {
      const signal = AbortSignal.any([stopped, closing.signal]);
      while (!signal.aborted && !(await isTold(eventLog))) await pause(paces.firstEveryMs, undefined, { signal }).catch(() => undefined);
    },
    all: async () => {
      await read();
      return known.all().map(({ facts }) => facts);
    },
    close: () => closing.abort(),
  };
};
