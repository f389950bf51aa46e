import { describeOn } from '@waymark/engines/engines.ts';
import { LogUnavailable } from './event-log.ts';
import { idsOf, newStream, someEvent, someEvents } from './some-events.ts';
import { eventStore } from './testing/eventstore.ts';

describeOn(['eventstore'], 'a stream that was truncated in EventStoreDB', () => {
  const { log, way } = eventStore();

  it('is read from there on, keeps its revisions, and can be written on', async () => {
    const stream = newStream();
    const events = someEvents(5);
    await log().append(stream, events, 'none');
    await log().truncate(stream, 3);
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([3, 4]);
    expect(await log().last([stream])).toEqual([4]);
    expect(await log().append(stream, [someEvent()], 'none')).toEqual({ outcome: 'conflict' });
    expect(await log().append(stream, [someEvent()], 4)).toMatchObject({ outcome: 'appended', revision: 5 });
    expect(idsOf(await log().read(stream, 4))[0]).toBe(events[4]?.envelope.id);
  });

  it('stays truncated where it was, however often and wherever it is truncated again', async () => {
    const stream = newStream();
    await log().append(stream, someEvents(5), 'none');
    await log().truncate(stream, 3);
    await log().truncate(stream, 1);
    await log().truncate(stream, 3);
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([3, 4]);
    await log().truncate(stream, 4);
    expect((await log().read(stream, 0)).map(({ revision }) => revision)).toEqual([4]);
  });

  it('was not where the server is away', async () => {
    const { passage, url } = await way();
    const away = log({ url, callMs: 500 });
    await passage.cut();
    await expect(away.truncate(newStream(), 1)).rejects.toThrow(LogUnavailable);
    await passage.heal();
  });
});
