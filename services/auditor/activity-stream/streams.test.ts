import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { LaterActivityQuestion, Reply } from '@waymark/history/reading/questions.ts';
import type { Access } from '@waymark/http/access.ts';
import { invalidToken } from '@waymark/http/errors.ts';
import { streamAccessMs, streamHeartbeatMs, streamLookMs } from '../limits.ts';
import { begin, type LaterPart, type Reader } from './reader.ts';
import { createStreams } from './streams.ts';

const access: Access = { account: 'account-a', application: 'one', token: 't', scopes: ['audit'] };

/** A history that tests add entries to. Returns parts of at most two entries. */
const createHistory = () => {
  const entries: { readonly account: string; readonly position: number }[] = [];
  const questions: LaterActivityQuestion[] = [];
  const state = { isAvailable: true, failure: undefined as Error | undefined };
  return {
    ...{ questions, state },
    add: (account: string, count = 1): void => {
      for (let nth = 0; nth < count; nth += 1) entries.push({ account, position: entries.length + 1 });
    },
    source: {
      positions: (accounts: readonly string[]) => accounts.map(() => entries.length),
      ask: async (question: LaterActivityQuestion): Promise<Reply> => {
        questions.push(question);
        if (state.failure) throw state.failure;
        if (!state.isAvailable) throw new HistoryUnavailable('not now');
        const later = entries.filter(({ account, position }) => account === question.account && position > (question.after ?? 0));
        const items = later.slice(0, 2).map(({ position }) => ({ position, text: `{"at":${position}}` }));
        const isEnd = later.length <= 2;
        const through = (isEnd ? later : items).at(-1)?.position ?? question.after ?? 0;
        return { outcome: 'later-part', items, through, isEnd };
      },
    },
  };
};

/** Begins a stream whose reader receives all until `waiting` is set. */
const newReader = (account = 'account-a', filter = {}, after = 0) => {
  const gone = new AbortController();
  const wait = { bytes: 0 };
  let text = '';
  const state = { scopes: access.scopes, failure: undefined as Error | undefined };
  const drained = Promise.withResolvers<void>();
  const reader: Reader = {
    question: { type: 'later-activity', account, base: 'http://x', sinceMs: 0, untilMs: null, filter, limit: 2 },
    writer: {
      write: (more) => {
        text += more;
      },
      waitingBytes: () => wait.bytes,
      drained: () => drained.promise,
      gone: gone.signal,
    },
    access: () => {
      if (state.failure) throw state.failure;
      return { ...access, scopes: state.scopes };
    },
    idOf: (position) => `id-${position}`,
    ...{ after, seen: -1, isLive: false, writtenMs: performance.now() },
  };
  const positions = (): readonly number[] => [...text.matchAll(/"at":(\d+)/g)].map(([, position]) => Number(position));
  const drain = (): void => {
    wait.bytes = 0;
    drained.resolve();
  };
  return { reader, gone, wait, state, positions, drain, text: () => text };
};

const empty: LaterPart = { outcome: 'later-part', items: [], through: 0, isEnd: true };

describe('the streams of a thread', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] }));
  afterEach(() => jest.useRealTimers());

  let isClosing = false;
  const feed = (history: ReturnType<typeof createHistory>) => {
    const streams = createStreams({ source: history.source, closing: () => isClosing });
    return ({ reader }: ReturnType<typeof newReader>, part = empty) => {
      begin(reader, part);
      const state = { outcome: 'open' };
      void streams.feed(reader).then(
        () => {
          state.outcome = 'ended';
        },
        (error: Error) => {
          state.outcome = error.message;
        },
      );
      return state;
    };
  };
  const later = (ms = streamLookMs) => jest.advanceTimersByTimeAsync(ms);
  beforeEach(() => {
    isClosing = false;
  });

  it('send what was added, each once, in order', async () => {
    const history = createHistory();
    const one = newReader();
    feed(history)(one);
    history.add('account-a', 5);
    history.add('account-b', 2);
    await later();
    history.add('account-a');
    await later();
    expect(one.positions()).toEqual([1, 2, 3, 4, 5, 8]);
    expect(one.text().startsWith('retry: 1000\nid: id-0\n\nid: id-1\ndata: {"at":1}\n\n')).toBe(true);
  });

  it('ask nothing while nothing was added', async () => {
    const history = createHistory();
    const begun = feed(history);
    for (let nth = 0; nth < 200; nth += 1) begun(newReader());
    await later();
    history.questions.length = 0;
    await later(streamHeartbeatMs - 2 * streamLookMs);
    expect(history.questions).toEqual([]);
  });

  it('ask once for all streams of an account with the same filter', async () => {
    const history = createHistory();
    const begun = feed(history);
    const readers = Array.from({ length: 200 }, (_, nth) => newReader('account-a', nth < 100 ? {} : { actor: 'x' }));
    for (const reader of readers) begun(reader);
    await later();
    history.questions.length = 0;
    history.add('account-a');
    await later();
    expect(history.questions).toHaveLength(2);
    expect(readers.filter(({ positions }) => positions().length === 1)).toHaveLength(200);
  });

  it('wait for a reader that catches up, but not for one that has been at the end', async () => {
    const history = createHistory();
    history.add('account-a', 6);
    const [behind, live] = [newReader(), newReader('account-a', {}, 6)];
    const begun = feed(history);
    behind.wait.bytes = 10 ** 6;
    live.wait.bytes = 10 ** 6;
    begun(behind, { ...empty, isEnd: false });
    begun(live, { ...empty, through: 6 });
    history.add('account-a');
    await later(10 * streamLookMs);
    expect([behind.positions(), live.positions()]).toEqual([[], [7]]);
    behind.drain();
    await later();
    expect(behind.positions()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('go on where they were once the history is available again', async () => {
    const history = createHistory();
    const one = newReader();
    const stream = feed(history)(one);
    history.state.isAvailable = false;
    history.add('account-a', 3);
    await later(4 * streamLookMs);
    expect([one.positions(), stream.outcome]).toEqual([[], 'open']);
    history.state.isAvailable = true;
    await later();
    expect(one.positions()).toEqual([1, 2, 3]);
  });

  it('fail with an error that nobody expects', async () => {
    const history = createHistory();
    const stream = feed(history)(newReader());
    history.state.failure = new Error('a defect');
    history.add('account-a');
    await later();
    expect(stream.outcome).toBe('a defect');
  });

  it.each([
    ['has no access any more', { failure: invalidToken() }],
    ['has lost the scope', { scopes: ['read'] }],
  ])('end within a second where the caller %s', async (_, change) => {
    const begun = feed(createHistory());
    const one = newReader();
    const [stream, other] = [begun(one), begun(newReader())];
    await later(3 * streamAccessMs);
    expect(stream.outcome).toBe('open');
    Object.assign(one.state, change);
    await later(streamAccessMs);
    expect([stream.outcome, other.outcome]).toEqual(['ended', 'open']);
  });

  it('end once the reader is gone, and when the process is closing', async () => {
    const begun = feed(createHistory());
    const [one, two] = [newReader(), newReader()];
    const [first, second] = [begun(one), begun(two)];
    one.gone.abort();
    await later(0);
    expect([first.outcome, second.outcome]).toEqual(['ended', 'open']);
    expect(begun(one).outcome).toBe('open');
    await later(0);
    isClosing = true;
    await later();
    expect(second.outcome).toBe('ended');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('send a heartbeat with the last place, unless bytes wait', async () => {
    const history = createHistory();
    const [one, slow] = [newReader('account-a', { actor: 'x' }), newReader()];
    const begun = feed(history);
    begun(one, { ...empty, through: 0 });
    begun(slow);
    slow.wait.bytes = 1;
    await later(streamHeartbeatMs);
    expect(one.text()).toMatch(/\n\n: heartbeat\nid: id-0\n\n$/);
    expect(slow.text()).not.toContain('heartbeat');
  });
});
