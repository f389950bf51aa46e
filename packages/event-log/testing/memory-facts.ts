import { someInstallation } from '@waymark/broker/testing/some-records.ts';
import type { LogState } from '../event-log.ts';
import { type KnownFacts, noIds } from '../facts/facts.ts';
import type { KnownLog } from '../facts/known-log.ts';
import type { FactsStore } from '../facts/store.ts';

/** Creates a store of facts in memory. */
export const memoryFacts = () => {
  let text: string | undefined;
  let isUnavailable = false;
  let writes = 0;
  const mayFail = (): void => {
    if (isUnavailable) throw new Error('The store is unavailable.');
  };
  const store: FactsStore = {
    read: async () => {
      mayFail();
      return text;
    },
    replace: async (before, next) => {
      mayFail();
      if (text !== before) return false;
      text = next;
      writes += 1;
      return true;
    },
  };
  return {
    store,
    text: () => text,
    put: (next: string | undefined) => {
      text = next;
    },
    unavailable: (is: boolean) => {
      isUnavailable = is;
    },
    writes: () => writes,
  };
};

/** Creates a log of which only the facts are known. Its events are in the stream `pinpoint-1`, at one position each. */
export const knowableLog = (events = 5) => {
  let ids = Array.from({ length: events }, (_, nth) => `event-${nth}`);
  let [name, reserved, former]: [string, number, readonly string[]] = ['A', 100, []];
  let questions = 0;
  const known: KnownLog = {
    facts: async (): Promise<KnownFacts> => {
      questions += 1;
      const event = ids.at(-1) ?? '';
      return {
        incarnation: name,
        head: ids.length,
        event,
        stream: 'pinpoint-1',
        revision: ids.length - 1,
        ids: { ...noIds, pinpoint: reserved },
      };
    },
    formerNames: async () => {
      questions += 1;
      return former;
    },
    eventAt: async (_, revision) => {
      questions += 1;
      return ids[revision] ?? '';
    },
  };
  return {
    known,
    state: async (): Promise<LogState> => ({ incarnation: name, installation: someInstallation, head: ids.length }),
    append: (event: string, through = reserved) => {
      ids = [...ids, event];
      reserved = through;
    },
    /** Resets the log to its state after that number of events. */
    rollBack: (to: number, through = reserved) => {
      ids = ids.slice(0, to);
      reserved = through;
    },
    renew: (next: string, aside: readonly string[] = []) => {
      former = [...former, ...aside, name];
      name = next;
    },
    /** Resets the log to its state under earlier names. */
    forgetNames: (last: string, before: readonly string[] = []) => {
      name = last;
      former = before;
    },
    /** Returns the number of reads besides those of its state. */
    questions: () => questions,
  };
};
