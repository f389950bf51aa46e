import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { LogUnavailable } from '../event-log.ts';
import { eventStore } from '../testing/eventstore.ts';
import { newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { createLogReads } from './calls.ts';
import { knownLog } from './facts.ts';
import { createIdentity } from './identity.ts';

describeOn(['eventstore'], 'the facts of the log in EventStoreDB', () => {
  const { log, connection, library } = eventStore();

  it('are its incarnation, its last event and the place of that event', async () => {
    const [one, stream, event] = [log(), newStream(), someEvent()];
    const { incarnation, head: before } = await one.state();
    const { position } = (await one.append(stream, [event], 'none')) as { position: number };
    const facts = await one.known.facts();
    // Other tests may append at the same time.
    expect(facts).toMatchObject({ incarnation, ids: expect.any(Object) });
    expect(facts.head).toBeGreaterThanOrEqual(position);
    expect(position).toBeGreaterThan(before);
    if (facts.head === position) expect(facts).toMatchObject({ event: event.envelope.id, stream, revision: 0 });
    expect(await one.known.eventAt(facts.stream, facts.revision)).toBe(facts.event);
  });

  it('are unavailable while the log has no incarnation', async () => {
    const read = createLogReads(connection(), 5_000);
    const known = knownLog(read, createIdentity(read, log().append, ownName('log'), ownName('installation')));
    await expect(known.facts()).rejects.toThrow(LogUnavailable);
    expect(await known.formerNames()).toEqual([]);
  });

  it('include the event id at a revision: empty where the log has none, undefined where it was dropped', async () => {
    const [one, stream, events] = [log(), newStream(), someEvents(3)];
    await one.append(stream, events, 'none');
    const at = (revision: number) => one.known.eventAt(stream, revision);
    expect(await at(1)).toBe(events[1]?.envelope.id);
    expect([await at(3), await one.known.eventAt(newStream(), 0)]).toEqual(['', '']);
    await one.truncate(stream, 2);
    expect([await at(1), await at(2)]).toEqual([undefined, events[2]?.envelope.id]);
    await one.truncate(stream, 3);
    expect([await at(2), await at(3)]).toEqual([undefined, '']);
    await library().deleteStream(stream);
    expect(await at(2)).toBeUndefined();
  });

  it('include the former incarnations, and those that a renewal has set aside', async () => {
    const read = createLogReads(connection(), 5_000);
    const identity = createIdentity(read, log().append, ownName('log'), ownName('installation'));
    const { incarnation: first } = await identity.state();
    const second = await identity.renewIncarnation(first);
    expect(await identity.formerNames()).toEqual([first]);
    const third = await identity.renewIncarnation(second ?? '', ['lost', 'lost too']);
    expect(await identity.formerNames()).toEqual([first, second, 'lost', 'lost too']);
    expect((await identity.state()).incarnation).toBe(third);
    expect(await identity.formerNames()).not.toContain(third);
  });
});
