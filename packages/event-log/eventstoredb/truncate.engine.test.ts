import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { LogUnavailable } from '../event-log.ts';
import { eventStore } from '../testing/eventstore.ts';
import { idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { createLogReads } from './calls.ts';
import type { Connection } from './connection.ts';
import { createTruncate } from './truncate.ts';

describeOn(['eventstore'], 'a stream that was truncated in EventStoreDB', () => {
  const { log, proxied, connection } = eventStore();
  const truncatingBy = (one: Connection, callMs = 5_000) => createTruncate(one, createLogReads(one, callMs), callMs);
  const truncate = (stream: string, before: number) => truncatingBy(connection())(stream, before);

  it('is read from there on, keeps its revisions, and accepts further appends', async () => {
    const stream = newStream();
    const events = someEvents(5);
    await log().append(stream, events, 'none');
    await truncate(stream, 3);
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([3, 4]);
    expect(await log().lastRevisions([stream])).toEqual([4]);
    expect(await log().append(stream, [someEvent()], 'none')).toEqual({ outcome: 'conflict' });
    expect(await log().append(stream, [someEvent()], 4)).toMatchObject({ outcome: 'appended', revision: 5 });
    expect(idsOf(await log().read(stream, 4))[0]).toBe(events[4]?.envelope.id);
  });

  it('keeps its highest truncation, however often and wherever it is truncated again', async () => {
    const stream = newStream();
    await log().append(stream, someEvents(5), 'none');
    await truncate(stream, 3);
    await truncate(stream, 1);
    await truncate(stream, 3);
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([3, 4]);
    await truncate(stream, 4);
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([4]);
  });

  it('is truncated at the highest revision where several clients truncate it at once', async () => {
    const stream = newStream();
    await log().append(stream, someEvents(5), 'none');
    const one = truncatingBy(connection());
    await Promise.all([1, 2, 3, 4].map((before) => one(stream, before)));
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([4]);
  });

  it('is reported as not truncated where the server is unavailable', async () => {
    const { passage, url } = await proxied();
    const unavailable = truncatingBy(connection(url), 500);
    await passage.cut();
    await expect(unavailable(newStream(), 1)).rejects.toThrow(LogUnavailable);
    await passage.heal();
  });
});
