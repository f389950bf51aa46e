import type { EventLog } from '../event-log.ts';
import { listeningLogger } from '../testing/eventstore.ts';
import { checkpointAt, confirmation, eventAt, readsAnswered } from '../testing/fake-store-messages.ts';
import { falseStores } from '../testing/fake-stores.ts';
import { LogReplaced } from './event-log.ts';

// A fake store, which does what a real one does rarely.

const { makeStore, logOn } = falseStores();

/** Subscribes until `count` events are delivered. Returns their positions. */
const positionsOf = async (log: EventLog, count: number): Promise<number[]> => {
  const [seen, abort]: [number[], AbortController] = [[], new AbortController()];
  await log.subscribe(
    0,
    async (batch) => {
      seen.push(...batch.map(({ position }) => position));
      if (seen.length >= count) abort.abort();
    },
    abort.signal,
  );
  return seen;
};

describe('a store that sends nothing', () => {
  it('is subscribed to again, and the failure and the recovery are logged', async () => {
    let subscriptions = 0;
    const store = await makeStore({
      read: readsAnswered((_, call) => {
        subscriptions += 1;
        if (subscriptions > 1) call.write(confirmation(), eventAt(5));
      }),
    });
    const { messages, logger } = listeningLogger();
    expect(await positionsOf(logOn(store, { callMs: 1_000, logger }), 1)).toEqual([5]);
    expect(messages).toEqual([expect.stringContaining('cannot be subscribed to'), expect.stringContaining('subscribed to again')]);
  });

  it('does not keep a subscription from ending', async () => {
    const [log, abort] = [logOn(await makeStore(), { callMs: 60_000 }), new AbortController()];
    setTimeout(() => abort.abort(), 50);
    await log.subscribe(0, async () => {}, abort.signal);
  });
});

describe('a store that ends subscriptions', () => {
  it.each([
    ['without an error', 0],
    ['because the subscriber is too slow', 10],
  ])('%s is subscribed to again from the last processed event, at once, and nothing is logged', async (_, status) => {
    const froms: number[] = [];
    const store = await makeStore({
      read: readsAnswered(({ from }, call) => {
        froms.push(from);
        call.write(confirmation(), eventAt(from + 1), eventAt(from + 2), eventAt(from + 3));
        call.end(status, 'Operation was aborted: Consumer too slow to handle event while live.');
      }),
    });
    const { messages, logger } = listeningLogger();
    const seen = await positionsOf(logOn(store, { logger }), 30);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
    expect(froms).toEqual(Array.from({ length: froms.length }, (_, index) => 3 * index));
    expect(messages).toEqual([]);
  });

  it('at once is subscribed to again only after a pause', async () => {
    let subscriptions = 0;
    const store = await makeStore({
      read: readsAnswered((_, call) => {
        subscriptions += 1;
        call.end();
      }),
    });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 500);
    await logOn(store).subscribe(0, async () => {}, abort.signal);
    expect(subscriptions).toBeLessThan(20);
  });

  it('with an error is subscribed to again from the last processed event, and the error is logged once', async () => {
    const store = await makeStore({
      read: readsAnswered(({ from }, call) => {
        call.write(confirmation(), eventAt(from + 1));
        setTimeout(() => call.end(13, 'broken'), 20);
      }),
    });
    const { messages, logger } = listeningLogger();
    expect(await positionsOf(logOn(store, { logger }), 4)).toEqual([1, 2, 3, 4]);
    expect(messages.filter((message) => message.includes('cannot'))).toHaveLength(1);
  });

  it('after a checkpoint beyond its events is subscribed to again from its last event', async () => {
    const store = await makeStore({
      read: readsAnswered(({ from }, call) => {
        if (from >= 1) return call.write(confirmation(), eventAt(2));
        call.write(confirmation(), eventAt(1), checkpointAt(900));
        call.end();
      }),
    });
    expect(await positionsOf(logOn(store), 2)).toEqual([1, 2]);
  });
});

describe('a subscription that no longer delivers events', () => {
  it('is renewed where the log has more events', async () => {
    let subscriptions = 0;
    const store = await makeStore({
      read: readsAnswered(({ isSubscription, from }, call) => {
        if (!isSubscription) {
          call.write(eventAt(1), eventAt(2));
          return call.end();
        }
        subscriptions += 1;
        call.write(confirmation(), ...(subscriptions === 1 ? [eventAt(1)] : [eventAt(from + 1)]));
      }),
    });
    expect(await positionsOf(logOn(store), 2)).toEqual([1, 2]);
  });

  it('is renewed where the log does not answer', async () => {
    let subscriptions = 0;
    const store = await makeStore({
      read: readsAnswered(({ isSubscription, from }, call) => {
        if (isSubscription) subscriptions += 1;
        if (isSubscription) call.write(confirmation(), ...(subscriptions === 2 ? [eventAt(from + 1)] : []));
      }),
    });
    expect(await positionsOf(logOn(store, { callMs: 1_000 }), 1)).toEqual([1]);
  });
});

describe('a log that is another one after its connection ended', () => {
  const naming = (incarnation: string) => () => eventAt(1, 'log-identity', undefined, JSON.stringify({ incarnation }));
  const reads = (named?: () => ReturnType<typeof eventAt>) =>
    readsAnswered(({ from }, call) => {
      call.write(confirmation(), eventAt(from + 1));
      call.end(13, 'restored');
    }, named);

  it.each([
    ['renamed', naming('two')],
    ['new', undefined],
  ])('ends the subscription: %s', async (_, named) => {
    const store = await makeStore({ read: reads(naming('one')) });
    const seen: number[] = [];
    const handle = async (batch: readonly { readonly position: number }[]) => {
      seen.push(...batch.map(({ position }) => position));
      if (seen.length === 3) store.answer({ read: reads(named) });
    };
    await expect(logOn(store).subscribe(0, handle, new AbortController().signal)).rejects.toThrow(LogReplaced);
    expect(seen).toEqual([1, 2, 3]);
  });
});

it('an event that cannot be read is never skipped', async () => {
  let subscriptions = 0;
  const store = await makeStore({
    read: readsAnswered(({ from }, call) => {
      subscriptions += 1;
      if (from === 0) return call.write(confirmation(), eventAt(1), eventAt(2, 'pinpoint-1', '{"waymark":2}'), eventAt(3));
      call.write(confirmation(), subscriptions < 3 ? eventAt(2, 'pinpoint-1', '{"waymark":1,"salt":7}') : eventAt(2), eventAt(3));
    }),
  });
  const { messages, logger } = listeningLogger();
  expect(await positionsOf(logOn(store, { logger }), 3)).toEqual([1, 2, 3]);
  expect(messages[0]).toContain('cannot be subscribed to');
});
