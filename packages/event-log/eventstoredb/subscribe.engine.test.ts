import { jsonEvent } from '@eventstore/db-client';
import { isHistory } from '@waymark/domain/streams.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { createSubscriber, eventStore, listeningLogger, until } from '../testing/eventstore.ts';
import { appended, idsOf, newStream, someEvent, someEvents } from '../testing/some-events.ts';
import { createLogReads } from './calls.ts';
import type { Delivered } from './event-log.ts';
import { createIdentity } from './identity.ts';

describeOn(['eventstore'], 'a subscription to EventStoreDB', () => {
  const { log, proxied, library } = eventStore();

  it('skips what the server and other programs have written', async () => {
    const one = log();
    const seen = createSubscriber(one, (await one.state()).head);
    const stream = seen.stream();
    await library().appendToStream(stream, [jsonEvent({ type: 'Strange', data: { strange: true } })]);
    await library().setStreamMetadata(stream, { custom: 1 });
    const event = someEvent();
    const { position } = await appended(one.append(stream, [event], 0));
    await library().appendToStream(stream, [jsonEvent({ type: 'Strange', data: 'malformed {' })]);
    expect(await seen.ended(1)).toEqual([event.envelope.id]);
    expect(idsOf(await one.read(stream, 0))).toEqual([event.envelope.id]);
    expect((await one.state()).head).toBeGreaterThanOrEqual(position);
  });

  it('ends at an event of Waymark, however many events of other programs follow', async () => {
    const one = log();
    await appended(one.append(newStream(), [someEvent()], 'none'));
    const strange = Array.from({ length: 5_000 }, () => jsonEvent({ type: 'Strange', data: {} }));
    await library().appendToStream(newStream(), strange);
    for (const { head } of [await one.state(), await one.state(), await log().state()]) {
      const found = library().readAll({ fromPosition: { commit: BigInt(head), prepare: BigInt(head) }, maxCount: 1 });
      for await (const { event } of found) expect(event?.metadata).toMatchObject({ waymark: 1 });
    }
  });

  it('continues after a frozen connection and after being too slow, without loss or repeat, and logs at most one error', async () => {
    const { passage, url } = await proxied();
    const { messages, logger } = listeningLogger();
    const { head } = await log().state();
    const seen = createSubscriber(log({ url, callMs: 1_000, logger }), head);
    const writer = log();
    const events = Array.from({ length: 40 }, () => someEvents(50));
    for (const [nth, batch] of events.entries()) {
      await writer.append(seen.stream(), batch, 'none');
      // The events that come while the connection is frozen fill the server's buffers, until the server reports that the subscriber is too
      // slow.
      if (nth === 10) passage.freeze();
      if (nth === 30) await passage.heal();
    }
    const ids = await seen.ended(2_000);
    expect(ids).toEqual(events.flatMap(idsOf));
    expect(messages.filter((message) => message.includes('cannot')).length).toBeLessThanOrEqual(1);
  });

  it('continues after every cut of the connection', async () => {
    const { passage, url } = await proxied();
    const { head } = await log().state();
    const seen = createSubscriber(log({ url }), head);
    const writer = log();
    const ids: string[] = [];
    for (let cut = 0; cut < 8; cut += 1) {
      const events = someEvents(30);
      ids.push(...idsOf(events));
      await Promise.all([writer.append(seen.stream(), events, 'none'), passage.cut().then(passage.heal)]);
      await until(() => seen.ids.length >= ids.length);
    }
    expect(await seen.ended(ids.length)).toEqual(ids);
  });
});

describeOn(['eventstore'], 'the history in EventStoreDB', () => {
  const { log } = eventStore();

  /** Subscribes to the history until it has passed a position. */
  const passedTo = async (after: number, through: () => number): Promise<Delivered[]> => {
    const [seen, abort]: [Delivered[], AbortController] = [[], new AbortController()];
    const handle = async (passed: Delivered) => {
      seen.push(passed);
      if (passed.through >= through()) abort.abort();
    };
    await log().subscribeToHistory(after, handle, abort.signal);
    return seen;
  };

  it('consists of the events of aggregates, and reports how far the log was passed beyond them', async () => {
    const one = log();
    const { head } = await one.state();
    await one.append(`request-${ownName('one')}`, [someEvent()], 'none');
    const [stream, events] = [newStream(), someEvents(2)];
    await one.append(stream, events, 'none');
    const { position } = await appended(one.append(`token-${ownName('one')}`, someEvents(3), 'none'));
    const seen = await passedTo(head, () => position);
    const handed = seen.flatMap((passed) => passed.events);
    expect(idsOf(handed.filter((event) => event.stream === stream))).toEqual(idsOf(events));
    expect(handed.every((event) => isHistory(event.stream))).toBe(true);
    expect(seen.at(-1)?.through).toBeGreaterThanOrEqual(position);
  });

  it('never passes the end of the log, whatever events of the server follow', async () => {
    const one = log();
    const { head } = await one.state();
    const [stream, quiet]: [string, number[]] = [newStream(), []];
    await one.append(stream, someEvents(2), 'none');
    await one.truncate(stream, 1);
    const abort = new AbortController();
    // A quiet subscription checks the log at least twice after the server's own event.
    setTimeout(() => abort.abort(), 2_500);
    await one.subscribeToHistory(head, async ({ through }) => void quiet.push(through), abort.signal);
    expect(quiet.length).toBeGreaterThan(0);
    expect(Math.max(...quiet)).toBeLessThanOrEqual((await one.state()).head);
  });

  it('never passes an event that was not delivered', async () => {
    const one = log();
    const { head } = await one.state();
    let last = Number.POSITIVE_INFINITY;
    const following = passedTo(head, () => last);
    const [stream, ids]: [string, string[]] = [newStream(), []];
    for (let round = 0; round < 60; round += 1) {
      const event = someEvent();
      await one.append(stream, [event], round === 0 ? 'none' : round - 1);
      ids.push(event.envelope.id);
      const places = [1, 2, 3].map(() => appended(one.append(`request-${ownName('one')}`, [someEvent()], 'none')));
      const positions = (await Promise.all(places)).map(({ position }) => position);
      if (round === 59) last = Math.max(...positions);
      await new Promise((resolve) => setTimeout(resolve, round % 20 === 19 ? 1_300 : 5));
    }
    let through = head;
    for (const passed of await following) {
      for (const { position } of passed.events) expect(position).toBeGreaterThan(through);
      expect(passed.through).toBeGreaterThan(through);
      through = passed.through;
    }
    const handed = (await passedTo(head, () => last)).flatMap((passed) => passed.events);
    expect(idsOf(handed.filter((event) => event.stream === stream))).toEqual(ids);
  });
});

describeOn(['eventstore'], 'the incarnation of the log in EventStoreDB', () => {
  const { log, connection } = eventStore();

  it('is the same for all clients', async () => {
    const names = await Promise.all([log(), log(), log()].map(async (one) => (await one.state()).incarnation));
    expect(new Set(names).size).toBe(1);
    expect(await log().renewIncarnation('another')).toBeUndefined();
    expect((await log().state()).incarnation).toBe(names[0]);
  });

  it('is renewed without a change of the installation, which one of many processes creates where the log has none', async () => {
    const [stream, installations] = [ownName('log'), ownName('installation')];
    const read = createLogReads(connection(), 5_000);
    const one = createIdentity(read, log().append, stream, ownName('installation'));
    // As v0.1.0 left it: with a name, but without an installation.
    const { incarnation } = await one.state();
    const identities = Array.from({ length: 8 }, () => createIdentity(read, log().append, stream, installations));
    const states = await Promise.all(identities.map(({ state }) => state()));
    const [first, ...others] = new Set(states.map(({ installation }) => installation));
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(others).toEqual([]);
    expect(await log().read(installations, 0)).toHaveLength(1);
    const renewed = await one.renewIncarnation(incarnation);
    for (const known of [...identities, createIdentity(read, log().append, stream, installations)])
      expect(await known.state()).toMatchObject({ incarnation: renewed, installation: first });
  });

  it('is given by the first process, and renewed by one of many', async () => {
    const stream = ownName('log');
    const read = createLogReads(connection(), 5_000);
    const identities = Array.from({ length: 8 }, () => createIdentity(read, log().append, stream));
    expect(await identities[0]?.incarnation()).toBeUndefined();
    const namesOf = async () => new Set((await Promise.all(identities.map(({ state }) => state()))).map(({ incarnation }) => incarnation));
    const [first = '', ...others] = await namesOf();
    expect(others).toEqual([]);
    const renewed = await Promise.all(identities.map(({ renewIncarnation }) => renewIncarnation(first)));
    const winners = renewed.filter((name) => name !== undefined);
    expect(winners).toHaveLength(1);
    expect([...(await namesOf())]).toEqual(winners);
    expect(winners).not.toContain(first);
  });
});
