import { readFileSync } from 'node:fs';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { AppendUndecided, LogUnavailable } from '../event-log.ts';
import { eventStore, until } from '../testing/eventstore.ts';
import { idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';

describeOn(['eventstoreTls', 'tls'], 'EventStoreDB over TLS', () => {
  const { log } = eventStore();

  it('is reached with the CA file that the URL names', async () => {
    const url = new URL(urlOf('eventstoreTls'));
    url.searchParams.set('tlsCAFile', urlOf('tls'));
    expect(await log({ url: url.href }).append(newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'appended' });
  });

  it('is not reached without the CA certificate, nor with a wrong password', async () => {
    const ca = readFileSync(urlOf('tls'), 'utf8');
    const url = new URL(urlOf('eventstoreTls'));
    url.password = 'hunter2';
    await expect(log({ url: urlOf('eventstoreTls') }).append(newStream(), [someEvent()], 'none')).rejects.toThrow(LogUnavailable);
    const refused = log({ url: url.href, ca }).append(newStream(), [someEvent()], 'none');
    await expect(refused).rejects.toThrow('refuses the user');
    await expect(log({ url: url.href, ca }).read(newStream(), 0)).rejects.toThrow(LogUnavailable);
  });
});

describeOn(['eventstore'], 'an append to EventStoreDB', () => {
  const { log, proxied, library } = eventStore();

  it('that is repeated is written once, and returns the same position', async () => {
    const stream = newStream();
    const events = someEvents(3);
    const first = await log().append(stream, events, 'none');
    expect(await log().append(stream, events, 'none')).toEqual(first);
    await log().append(stream, [someEvent()], 2);
    expect(await log().append(stream, events, 'none')).toEqual(first);
    expect(await log().read(stream, 0)).toHaveLength(4);
  });

  it('of more events than one message of the library holds is written as a whole', async () => {
    const [stream, one] = [newStream(), log({ callMs: 60_000 })];
    expect(await one.append(stream, someEvents(5_000), 'none')).toMatchObject({ outcome: 'appended', revision: 4_999 });
    expect(await one.lastRevisions([stream])).toEqual([4_999]);
  });

  it('whose response was lost is undecided, and is found by its event id', async () => {
    const { passage, url } = await proxied();
    const [stream, event, cut] = [newStream(), someEvent(), log({ url })];
    await cut.append(newStream(), [someEvent()], 'none');
    passage.loseAnswers();
    await expect(cut.append(stream, [event], 'none')).rejects.toThrow(AppendUndecided);
    await passage.heal();
    await until(async () => (await log().read(stream, 0)).length > 0);
    expect(idsOf(await cut.read(stream, 0))).toEqual([event.envelope.id]);
    expect(await cut.append(stream, [event], 'none')).toMatchObject({ outcome: 'appended', revision: 0 });
  });

  it('to a server that hangs is undecided after the timeout of the client, and later ones succeed', async () => {
    const { passage, url } = await proxied();
    const slow = log({ url, callMs: 500 });
    await slow.append(newStream(), [someEvent()], 'none');
    passage.freeze();
    await expect(slow.append(newStream(), [someEvent()], 'none')).rejects.toThrow(AppendUndecided);
    await expect(slow.lastRevisions([newStream()])).rejects.toThrow(LogUnavailable);
    await passage.heal();
    expect(await slow.append(newStream(), [someEvent()], 'none')).toMatchObject({ outcome: 'appended' });
  });

  it('to an unavailable server is certainly not written', async () => {
    const { passage, url } = await proxied();
    const unavailable = log({ url });
    await unavailable.append(newStream(), [someEvent()], 'none');
    await passage.cut();
    await until(() =>
      unavailable.append(newStream(), [someEvent()], 'none').then(
        () => false,
        (error: unknown) => error instanceof LogUnavailable,
      ),
    );
    await passage.heal();
    await until(() =>
      unavailable.append(newStream(), [someEvent()], 'none').then(
        () => true,
        () => false,
      ),
    );
  });

  it('is refused once too many bytes are waiting', async () => {
    const { passage, url } = await proxied();
    const slow = log({ url, callMs: 1_000 });
    passage.freeze();
    const large = someEvent(JSON.stringify('x'.repeat(1_000_000)));
    const appends = Array.from({ length: 80 }, () => slow.append(newStream(), [large], 'none'));
    const outcomes = await Promise.allSettled(appends);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected' && outcome.reason instanceof LogUnavailable);
    expect(refused).toHaveLength(13);
  });

  it('restarts a deleted stream, but does not accept a repeat of its deleted events as written', async () => {
    const [stream, event, one] = [newStream(), someEvent(), log()];
    await one.append(stream, [event, someEvent()], 'none');
    await library().deleteStream(stream);
    expect(await one.read(stream, 0)).toEqual([]);
    expect(await one.lastRevisions([stream])).toEqual(['none']);
    expect(await one.append(stream, [event], 'none')).toEqual({ outcome: 'conflict' });
    const next = someEvent();
    expect(await one.append(stream, [next], 'none')).toMatchObject({ outcome: 'appended', revision: 2 });
    expect(idsOf(await one.read(stream, 0))).toEqual([next.envelope.id]);
  });

  it('restarts a stream whose events have expired', async () => {
    const [stream, one] = [newStream(), log()];
    await one.append(stream, someEvents(2), 'none');
    await library().setStreamMetadata(stream, { truncateBefore: 2 });
    expect(await one.lastRevisions([stream])).toEqual(['none']);
    expect(await one.append(stream, [someEvent()], 'none')).toMatchObject({ outcome: 'appended', revision: 2 });
    expect(await one.append(stream, [someEvent()], 'none')).toEqual({ outcome: 'conflict' });
  });
});
