import { setTimeout as pause } from 'node:timers/promises';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { AppendUndecided, LogUnavailable } from '../event-log.ts';
import { createSubscriber, eventStore, listeningLogger, until } from '../testing/eventstore.ts';
import { appended, idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';

const lookedAtMax = 500;

describeOn(['eventstore', 'control'], 'the log in EventStoreDB, whose server is killed, stopped and paused', () => {
  const { log } = eventStore();
  afterAll(() => control('start', 'eventstore'));

  it('reports which appends it has written, which it has not, and which are undecided', async () => {
    const writer = log({ callMs: 2_000 });
    const outcomes = new Map<string, 'appended' | 'unavailable' | 'undecided'>();
    let isOver = false;
    const appendOn = async (): Promise<void> => {
      while (!isOver) {
        const [stream, event] = [newStream(), someEvent(JSON.stringify('x'.repeat(2_000)))];
        try {
          await appended(writer.append(stream, [event], 'none'));
          outcomes.set(stream, 'appended');
        } catch (error) {
          if (!(error instanceof LogUnavailable || error instanceof AppendUndecided)) throw error;
          outcomes.set(stream, error instanceof LogUnavailable ? 'unavailable' : 'undecided');
          await pause(50);
        }
      }
    };
    const appending = Promise.all(Array.from({ length: 64 }, appendOn));
    for (const action of ['kill', 'stop'] as const) {
      await pause(500);
      await control(action, 'eventstore');
      await pause(200);
      await control('start', 'eventstore');
    }
    await until(async () => (await writer.append(newStream(), [someEvent()], 'none').catch(() => undefined)) !== undefined);
    isOver = true;
    await appending;
    const foundOf = async (wanted: string) => {
      const streams = [...outcomes].filter(([, outcome]) => outcome === wanted).map(([stream]) => stream);
      // Reading all of them would take longer than the rest of the test. The last ones were appended closest to the end of the server.
      return new Set(await writer.lastRevisions(streams.slice(-lookedAtMax)));
    };
    expect(await foundOf('appended')).toEqual(new Set([0]));
    expect(await foundOf('unavailable')).toEqual(new Set(['none']));
  });

  it('writes a repeated append once, also after a restart of the server', async () => {
    const [writer, stream, events] = [log(), newStream(), someEvents(2)];
    const first = await writer.append(stream, events, 'none');
    await control('kill', 'eventstore');
    await control('start', 'eventstore');
    await until(async () => (await writer.lastRevisions([stream]).catch(() => [undefined]))[0] === 1);
    expect(await writer.append(stream, events, 'none')).toEqual(first);
    expect(idsOf(await writer.read(stream, 0))).toEqual(idsOf(events));
  });

  it('rejects all calls while the server is paused, and continues by itself', async () => {
    const [writer, stream] = [log({ callMs: 500 }), newStream()];
    await writer.append(stream, [someEvent()], 'none');
    await control('pause', 'eventstore');
    await expect(writer.append(stream, [someEvent()], 0)).rejects.toThrow(AppendUndecided);
    await expect(writer.read(stream, 0)).rejects.toThrow(LogUnavailable);
    await control('resume', 'eventstore');
    await until(async () => (await writer.append(newStream(), [someEvent()], 'none').catch(() => undefined)) !== undefined);
  });

  it('delivers to subscribers without loss or repeat, whatever happens to the server', async () => {
    const [writer, { messages, logger }] = [log({ callMs: 1_000 }), listeningLogger()];
    const { head } = await writer.state();
    const seen = createSubscriber(log({ callMs: 1_000, logger }), head);
    const ids: string[] = [];
    const appendSome = async () => {
      for (let nth = 0; nth < 10; nth += 1) {
        const [stream, events] = [seen.stream(), someEvents(20)];
        ids.push(...idsOf(events));
        await until(async () => (await writer.append(stream, events, 'none').catch(() => undefined)) !== undefined);
      }
    };
    for (const action of ['kill', 'pause', 'kill'] as const) {
      const appending = appendSome();
      await control(action, 'eventstore');
      await pause(action === 'pause' ? 3_000 : 100);
      await control(action === 'pause' ? 'resume' : 'start', 'eventstore');
      await appending;
    }
    expect(await seen.ended(ids.length)).toEqual(ids);
    expect(messages.length).toBeLessThanOrEqual(2);
  });
});
