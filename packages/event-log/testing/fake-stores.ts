import { type EventStoreLog, type EventStoreLogOptions, openEventStoreLog } from '../eventstoredb/event-log.ts';
import { type Answers, type FakeStore, fakeStore } from './fake-store.ts';

/** Creates fake stores and logs in them, closed after each test. */
export const falseStores = () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  return {
    makeStore: async (answers?: Answers): Promise<FakeStore> => {
      const store = await fakeStore(answers);
      closing.push(store.close);
      return store;
    },
    logOn: (store: FakeStore, options: Partial<EventStoreLogOptions> = {}): EventStoreLog => {
      const log = openEventStoreLog({ url: store.url, callMs: 5_000, ...options });
      closing.push(log.close);
      return log;
    },
  };
};
