import type { RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { openEventStoreLog } from './event-log.ts';
import { fromStoredEvent, toSafeInteger, toStoredEvents, UnreadableEvent } from './events.ts';
import { appendBytesMax } from './limits.ts';

const event = someEvent('{"b":1,"a":[1e400,"\\u00e9"] }');

/** Returns an event as the library returns it. */
const read = (change: Partial<StoredEvent> = {}): StoredEvent => {
  const { id, type } = event.envelope;
  const [{ data, metadata } = { data: new Uint8Array(), metadata: undefined }] = toStoredEvents([event]);
  return {
    streamId: 'pinpoint-1',
    id,
    type,
    revision: 3n,
    position: { commit: 17n, prepare: 17n },
    created: new Date(0),
    isJson: false,
    data,
    metadata: JSON.parse(Buffer.from(metadata as Uint8Array).toString()),
    ...change,
  } as StoredEvent;
};

describe('an event in EventStoreDB', () => {
  it('is read back unchanged, without a bigint', () => {
    const back = fromStoredEvent(read());
    expect(back).toEqual({ stream: 'pinpoint-1', revision: 3, position: 17, ...event });
    expect(JSON.stringify(back)).toContain('"position":17');
  });

  it('is ignored where another program wrote it', () => {
    expect(fromStoredEvent(read({ metadata: undefined }))).toBeUndefined();
    expect(fromStoredEvent(read({ metadata: {} }))).toBeUndefined();
    expect(fromStoredEvent(read({ metadata: 'malformed {' }))).toBeUndefined();
    expect(fromStoredEvent(read({ metadata: new Uint8Array([1, 2, 3]) }))).toBeUndefined();
    expect(fromStoredEvent(read({ metadata: null as never }))).toBeUndefined();
    expect(fromStoredEvent(read({ streamId: '$$pinpoint-1' }))).toBeUndefined();
  });

  it.each<Partial<StoredEvent>>([
    { metadata: { waymark: 2 } },
    { metadata: { waymark: 1, salt: 7, envelope: event.envelope } },
    { metadata: { waymark: 1, salt: event.salt, envelope: null } },
    { id: '00000000-0000-4000-8000-000000000000' },
    { type: 'Another' },
    { data: '{"malformed":' as never },
  ])('is refused where it was damaged: %j', (change) => {
    expect(() => fromStoredEvent(read(change))).toThrow(UnreadableEvent);
  });

  it('has no position or revision beyond the range of a number', () => {
    expect(toSafeInteger(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => toSafeInteger(2n ** 53n)).toThrow(RangeError);
  });

  it('has neither salt nor content once they are erased', () => {
    const erased = read({ metadata: { waymark: 1, salt: null, envelope: event.envelope }, data: new Uint8Array() });
    expect(fromStoredEvent(erased)).toMatchObject({ salt: null, content: null });
  });
});

describe('an append that would break the store', () => {
  // No server listens at this address: a RangeError can only come from the check before the call.
  const log = openEventStoreLog({ url: 'esdb://127.0.0.1:1?tls=false' });
  afterAll(() => log.close());
  const withEnvelope = (change: object) => ({ ...event, envelope: { ...event.envelope, ...change } });

  it.each(['', '$$', '$', '$$pinpoint-1', '$all', 'with space', 'é', '-', `pinpoint-${'1'.repeat(300)}`, 'a\0b'])(
    'is refused before the call: a stream called %j',
    async (stream) => {
      await expect(log.append(stream, [event], 'none')).rejects.toThrow(RangeError);
      await expect(log.read(stream, 0)).rejects.toThrow(RangeError);
      await expect(log.lastRevisions([stream])).rejects.toThrow(RangeError);
    },
  );

  it.each([
    { type: '' },
    { type: '$metadata' },
    { type: 'With Space' },
    { id: '' },
    { id: 'no-uuid' },
    { id: '00000000-0000-0000-0000-000000000000' },
    { id: 'AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA' },
    { request: 'x'.repeat(70_000) },
  ])('is refused before the call: an envelope with %j', async (change) => {
    await expect(log.append(newStream(), [event, withEnvelope(change)], 'none')).rejects.toThrow(RangeError);
  });

  it('is refused before the call: more content or events than one append holds, or none', async () => {
    const half = someEvent(JSON.stringify('x'.repeat(appendBytesMax / 2)));
    const other = { ...half, envelope: someEvent().envelope };
    await expect(log.append(newStream(), [half, other], 'none')).rejects.toThrow(RangeError);
    await expect(log.append(newStream(), someEvents(10_001), 'none')).rejects.toThrow(RangeError);
    await expect(log.append(newStream(), [], 'none')).rejects.toThrow(RangeError);
  });

  it('is certainly not written where no server listens', async () => {
    await expect(log.append(newStream(), [event], 'none')).rejects.toThrow('cannot be reached');
  });
});
