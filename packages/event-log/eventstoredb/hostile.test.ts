import { randomUUID } from 'node:crypto';
import type { EventLog } from '../event-log.ts';
import { AppendUndecided, LogUnavailable } from '../event-log.ts';
import { withBatchAppend } from '../testing/fake-store.ts';
import { appendsAnswered } from '../testing/fake-store-messages.ts';
import { falseStores } from '../testing/fake-stores.ts';
import { newStream, someEvent } from '../testing/some-events.ts';

// A fake store, which does what a real one does rarely.

const { makeStore, logOn } = falseStores();
/** How long a call may take in these tests, in milliseconds: long enough for a call that is answered. */
const callMs = 1_000;
const appendTo = (log: EventLog) => log.append(newStream(), [someEvent()], 'none');
const answered = appendsAnswered((success, call) => call.write(success(7)));

describe('a store that sends nothing', () => {
  it('leaves an append undecided, and everything else unavailable, after the timeout of the client', async () => {
    const log = logOn(await makeStore(), { callMs });
    await expect(appendTo(log)).rejects.toThrow(AppendUndecided);
    await expect(log.read(newStream(), 0)).rejects.toThrow(LogUnavailable);
    await expect(log.lastRevisions([newStream()])).rejects.toThrow(LogUnavailable);
    await expect(log.state()).rejects.toThrow(LogUnavailable);
  });

  it('is asked again for its features where it never reported them', async () => {
    const store = await makeStore({ features: () => undefined, batchAppend: answered });
    const log = logOn(store, { callMs });
    await expect(appendTo(log)).rejects.toThrow(AppendUndecided);
    store.answer({ features: withBatchAppend });
    expect(await appendTo(log)).toMatchObject({ outcome: 'appended', position: 7 });
  });

  it('does not keep a log from closing', async () => {
    const log = logOn(await makeStore(), { callMs });
    const appending = expect(appendTo(log)).rejects.toThrow(AppendUndecided);
    await log.close();
    await appending;
    await expect(appendTo(log)).rejects.toThrow(LogUnavailable);
    await expect(log.read(newStream(), 0)).rejects.toThrow(LogUnavailable);
    await expect(log.subscribe(0, async () => {}, new AbortController().signal)).rejects.toThrow(LogUnavailable);
  });
});

describe('a store that ends the stream of appends', () => {
  it('without an error leaves an append undecided, and the next append gets a new stream', async () => {
    const store = await makeStore({ batchAppend: appendsAnswered((_, call) => call.end()) });
    const log = logOn(store, { callMs });
    await expect(appendTo(log)).rejects.toThrow(AppendUndecided);
    store.answer({ batchAppend: answered });
    expect(await appendTo(log)).toMatchObject({ outcome: 'appended', position: 7 });
  });

  it.each([
    ['aborted', 10],
    ['internal', 13],
    ['unavailable', 14],
    ['not leader', 5],
    ['cancelled', 1],
  ])('with the status %s leaves an append undecided', async (_, status) => {
    const store = await makeStore({ batchAppend: appendsAnswered((_, call) => call.end(status, 'ended')) });
    await expect(appendTo(logOn(store))).rejects.toThrow(AppendUndecided);
  });

  it('does not affect appends to another store', async () => {
    const held: (() => void)[] = [];
    const [well, ill] = [
      await makeStore({ batchAppend: appendsAnswered((success, call) => held.push(() => call.write(success(7)))) }),
      await makeStore({ batchAppend: appendsAnswered((_, call) => call.end(14, 'gone')) }),
    ];
    const [one, other] = [logOn(well), logOn(ill)];
    const appending = appendTo(one);
    while (held.length === 0) await new Promise(setImmediate);
    await expect(appendTo(other)).rejects.toThrow(AppendUndecided);
    for (const answer of held) answer();
    expect(await appending).toMatchObject({ outcome: 'appended', position: 7 });
  });

  it('while appends are queued leaves them undecided, and leaves no error unhandled', async () => {
    const store = await makeStore({ batchAppend: (call) => void setTimeout(() => call.end(14, 'gone'), 100) });
    const log = logOn(store);
    const large = someEvent(JSON.stringify('x'.repeat(500_000)));
    const appends = Array.from({ length: 64 }, () => log.append(newStream(), [{ ...large, envelope: someEvent().envelope }], 'none'));
    const outcomes = await Promise.allSettled(appends);
    expect(outcomes.map(({ status }) => status)).toEqual(appends.map(() => 'rejected'));
  });
});

it('answers that no call waits for, or that come twice, are ignored', async () => {
  const store = await makeStore({
    batchAppend: appendsAnswered((success, call) => call.write(success(3, randomUUID()), success(7), success(9))),
  });
  const log = logOn(store);
  for (let nth = 0; nth < 3; nth += 1) expect(await appendTo(log)).toMatchObject({ position: 7 });
});
