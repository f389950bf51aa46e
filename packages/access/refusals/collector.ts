import type { RefusedRequest } from '@waymark/http/refused-requests.ts';
import { accountsMax, keptMax, keptPerAccountMax } from './limits.ts';
import type { Refusal, Refusals } from './stored-refusals.ts';

/** The refused requests of an account on one day. It is plain data, which can be sent to a thread. */
export type Collected = Refusals & { readonly account: string; readonly day: string };

/** Keeps refused requests in memory until they are taken. */
export type Collector = {
  readonly note: (refused: RefusedRequest) => void;
  /** Adds what another thread has collected. */
  readonly add: (collected: Collected) => void;
  /** Returns all that was collected since the last call. What it keeps counts as held until it is released. */
  readonly take: (mayTake?: (collected: Pick<Collected, 'account' | 'day'>) => boolean) => readonly Collected[];
  readonly release: (collected: Pick<Collected, 'refusals'>) => void;
  /** Returns the number of requests since the last call that were not even counted, because there were too many accounts. */
  readonly ignored: () => number;
};

type Open = { readonly account: string; readonly day: string; readonly refusals: Refusal[]; more: number };

export const createCollector = (): Collector => {
  const open = new Map<string, Open>();
  let [held, ignored] = [0, 0];

  const of = (account: string, day: string): Open | undefined => {
    const key = `${account} ${day}`;
    const known = open.get(key);
    if (known !== undefined || open.size >= accountsMax) return known;
    const created = { account, day, refusals: [], more: 0 };
    open.set(key, created);
    return created;
  };
  const add = ({ account, day, refusals, more }: Collected): void => {
    const into = of(account, day);
    if (into === undefined) {
      ignored += refusals.length + more;
      return;
    }
    const room = Math.max(0, Math.min(keptPerAccountMax - into.refusals.length, keptMax - held));
    const kept = refusals.slice(0, room);
    into.refusals.push(...kept);
    into.more += more + refusals.length - kept.length;
    held += kept.length;
  };
  return {
    add,
    note: ({ account, ...refused }) => {
      const time = new Date().toISOString();
      add({ account, day: time.slice(0, 10), refusals: [{ time, ...refused }], more: 0 });
    },
    take: (mayTake = () => true) => {
      const taken = [...open].filter(([, one]) => mayTake(one));
      for (const [key] of taken) open.delete(key);
      return taken.map(([, { refusals, ...one }]) => ({ ...one, refusals: refusals.toSorted(byTime) }));
    },
    release: ({ refusals }) => {
      held -= refusals.length;
    },
    ignored: () => {
      const count = ignored;
      ignored = 0;
      return count;
    },
  };
};

const byTime = (one: Refusal, other: Refusal): number => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0);
