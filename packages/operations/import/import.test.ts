import type { RecordedEvent } from '@waymark/domain/event.ts';
import { erasedBefore } from '@waymark/domain/redaction.ts';
import { accountStream, allocatorStream, installationStream, isHistory, redactedStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import { summarize } from '@waymark/event-log/erasure/erasure-summary.ts';
import { AppendUndecided, type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { reservedThrough, sealReservation } from '@waymark/event-log/id-allocator.ts';
import { newEventId } from '@waymark/event-log/seal.ts';
import { storedBytes } from '@waymark/media/content.ts';
import { checkLog } from '../check-log.ts';
import { type SomeInstallation, someInstallation } from '../testing/some-export.ts';
import { accountsIn, batch, batchesOf, type SendOptions, send, someBytes, useTarget } from '../testing/some-target.ts';
import { createImporter, type Importing } from './import.ts';
import { idsAhead } from './limits.ts';

const [pinpoint, list] = [(id: number) => resourceStream('pinpoint', id), (id: number) => resourceStream('list', id)];
const target = useTarget();
let source: SomeInstallation;
beforeEach(() => {
  source = someInstallation('source-1');
});
const settle = (pinpoints = 4, from = 1): void => source.populate(pinpoints, from);
const sendAll = (to: Importing, how: SendOptions = {}) => send(source, to, how);

/** Returns a generator of pseudo-random numbers from 0 to 1. The same seed gives the same numbers. */
const diceFrom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const historyOf = async (from: EventLog): Promise<readonly RecordedEvent[]> => {
  const { head } = await from.state();
  const found: RecordedEvent[] = [];
  const done = new AbortController();
  await from.subscribe(
    0,
    async (batch) => {
      found.push(...batch.filter(({ stream }) => isHistory(stream)));
      if ((batch.at(-1)?.position ?? 0) >= head) done.abort();
    },
    done.signal,
  );
  return found;
};

const withoutPositions = (events: readonly RecordedEvent[]) => events.map(({ position: _, ...event }) => event);
const reserved = async (resource: 'pinpoint' | 'list' | 'happening'): Promise<number> =>
  reservedThrough((await target.log().read(allocatorStream(resource), 0)).at(-1) as RecordedEvent);

describe('an import', () => {
  it('appends every event unchanged, in order and at its revision, and returns the comparison', async () => {
    settle();
    const ended = await sendAll(createImporter(target.options()));
    expect(withoutPositions(await historyOf(target.log()))).toEqual(withoutPositions(source.events));
    const { events, files } = source.manifest();
    const holdings = { events: events.count, forgotten: 0, streams: { account: 1, application: 1, list: 1, pinpoint: 4 } };
    const both = { ...holdings, digest: events.digest, files: files.count, missing: 0 };
    expect(ended).toEqual({ equal: true, inOrder: true, ended: true, exported: both, imported: both });
    expect(await storedBytes(target.options().media, sampleFile.name)).toEqual(someBytes);
    expect(await reserved('pinpoint')).toBe(4);
    expect(await target.forgotten()).toEqual([]);
  });

  it('has the same result if appends fail, or succeed and report an error', async () => {
    settle(6);
    const dice = diceFrom(7);
    const failing: EventLog = {
      ...target.log(),
      append: async (...order) => {
        if (dice() < 0.15) throw new LogUnavailable('away');
        const appended = await target.log().append(...order);
        if (dice() < 0.2) throw new AppendUndecided('cut off');
        return appended;
      },
    };
    let ended: Awaited<ReturnType<typeof sendAll>> | undefined;
    for (let runs = 1; ended === undefined && runs < 100; runs += 1) {
      ended = await sendAll(createImporter({ ...target.options(), log: failing }), { run: `run-${runs}` }).catch((error) => {
        if (error instanceof LogUnavailable || error instanceof AppendUndecided) return undefined;
        throw error;
      });
    }
    expect(ended).toMatchObject({ equal: true, inOrder: true, ended: true });
    expect(withoutPositions(await historyOf(target.log()))).toEqual(withoutPositions(source.events));
  });

  it('appends nothing when it is repeated by another process', async () => {
    settle();
    const ended = await sendAll(createImporter(target.options()));
    const { head } = await target.log().state();
    const again = createImporter(target.options());
    expect(await again.begin('again', source.manifest({ final: true }))).toMatchObject({
      events: source.events.length,
      files: 1,
      ended: true,
    });
    expect(await again.end('again', source.manifest({ final: true }), accountsIn(source))).toEqual(ended);
    expect((await target.log().state()).head).toBe(head);
  });

  it('continues an earlier one while the installation grows, until the final one', async () => {
    settle(3);
    expect(await sendAll(createImporter(target.options()), { final: false })).toMatchObject({ equal: true, ended: false });
    expect(await reserved('pinpoint')).toBe(3 + idsAhead);
    settle(3, 4);
    expect(await sendAll(createImporter(target.options()), { final: false })).toMatchObject({ equal: true, ended: false });
    settle(1, 7);
    expect(await sendAll(createImporter(target.options()))).toMatchObject({ equal: true, inOrder: true, ended: true });
    expect(withoutPositions(await historyOf(target.log()))).toEqual(withoutPositions(source.events));
  });

  it('does not change the identity of the target installation', async () => {
    settle(1);
    const { installation } = await target.log().state();
    await sendAll(createImporter(target.options()));
    expect((await target.log().state()).installation).toBe(installation);
    expect(await target.log().lastRevisions([installationStream])).toEqual(['none']);
  });

  it('reserves more ids if the installation has grown more than expected', async () => {
    settle(1);
    await sendAll(createImporter(target.options()), { final: false });
    settle(1, idsAhead + 5);
    expect(await sendAll(createImporter(target.options()))).toMatchObject({ ended: true });
    expect(await reserved('pinpoint')).toBe(idsAhead + 5);
  });

  it('accepts a repeated batch, a batch that begins earlier, and a batch without new events', async () => {
    settle();
    const to = createImporter(target.options());
    await to.begin('run', source.manifest());
    for (const one of batchesOf(source, 4).slice(0, 2)) await to.addEvents(batch(one));
    const [whole, , third] = batchesOf(source, 4);
    expect(await to.addEvents(batch(whole))).toMatchObject({ events: 8 });
    const from = { ...batch(whole), events: source.events };
    expect(await to.addEvents(from)).toMatchObject({ events: source.events.length });
    expect(await to.addEvents(batch(third))).toMatchObject({ events: source.events.length });
    expect(await historyOf(target.log())).toHaveLength(source.events.length);
  });

  it('imports erased events as envelopes, and at its end drops those at the beginning of a stream', async () => {
    settle(2);
    const { PinpointEdited } = sampleEvents;
    source.append(pinpoint(1), { ...PinpointEdited, pinpoint: 1 });
    const erase = (stream: string, before: number): void => {
      for (const [index, event] of source.events.entries())
        if (event.stream === stream && event.revision < before) source.events[index] = { ...event, salt: null, content: null };
    };
    erase(pinpoint(1), 2);
    erase(pinpoint(2), 3);
    expect(await sendAll(createImporter(target.options()), { final: false })).toMatchObject({ equal: true, imported: { forgotten: 5 } });
    expect(await target.forgotten()).toEqual([]);
    expect(await sendAll(createImporter(target.options()))).toMatchObject({ equal: true, ended: true });
    expect(await target.forgotten()).toEqual([
      [pinpoint(1), 2],
      [pinpoint(2), 2],
    ]);
    const [left] = await target.log().read(redactedStream(pinpoint(1)), 0);
    expect(JSON.parse(left?.content ?? '').events).toHaveLength(2);
    expect(withoutPositions(await historyOf(target.log()))).toEqual(withoutPositions(source.events));
  });
});

describe('an import from a log with erased objects', () => {
  it('imports the current states, and stores the remains of the erased events here', async () => {
    settle(2);
    for (const stream of [pinpoint(1), pinpoint(2), list(1)]) source.erase(stream);
    source.append(pinpoint(1), { ...sampleEvents.PinpointEdited, pinpoint: 1 });
    expect(await sendAll(createImporter(target.options()))).toMatchObject({ equal: true, ended: true, imported: { forgotten: 8 } });
    expect(withoutPositions(await historyOf(target.log()))).toEqual(withoutPositions(source.events));
    expect(await target.forgotten()).toEqual([
      [list(1), 3],
      [pinpoint(1), 2],
      [pinpoint(2), 3],
    ]);
    for (const stream of [pinpoint(1), list(1)]) {
      const said = (await target.log().read(stream, 0)).findLast(({ envelope }) => envelope.type.endsWith('Redacted'));
      const before = (said && erasedBefore(said)) ?? 0;
      expect(JSON.parse(said?.content ?? '').summary).toEqual(await summarize(target.log(), stream, before));
    }
    expect((await checkLog(target.log(), { origin: 'none', keys: [], published: null, before: 0 })).faults).toEqual([]);
  });
});

describe('an import that resumes after its files were lost', () => {
  it('gets the names of the missing files, and accepts them again', async () => {
    settle(1);
    const to = createImporter(target.options());
    await to.begin('run', source.manifest());
    await to.addFile(sampleFile.name, someBytes);
    expect(await to.missingFiles([sampleFile.name])).toEqual({ missing: [] });
    await target.options().media.remove(sampleFile.name);
    const names = [sampleFile.name, `${'a'.repeat(32)}.png`];
    expect(await createImporter(target.options()).missingFiles(names)).toEqual({ missing: names });
  });
});

describe('an import into a log with other writers', () => {
  it('leaves their ids to them, and reserves the ids above', async () => {
    await target.log().append(allocatorStream('list'), [sealReservation(newEventId(), 500)], 'none');
    source.append(accountStream('acme'), sampleEvents.AccountOpened);
    source.append(list(501), { ...sampleEvents.ListCreated, list: 501 });
    expect(await sendAll(createImporter(target.options()))).toMatchObject({ equal: true });
    expect(await reserved('list')).toBe(501);
  });

  it('appends dependent events after those that they depend on, and not after the failure of one of these', async () => {
    settle(3);
    const begun: string[] = [];
    const there: string[] = [];
    const slow: EventLog = {
      ...target.log(),
      append: async (stream, events, expected) => {
        if (stream.startsWith('list')) expect(there).toContain(pinpoint(JSON.parse(events.at(-1)?.content ?? '').pinpoints?.[0] ?? 1));
        begun.push(stream);
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (stream === pinpoint(3)) throw new LogUnavailable('away');
        there.push(stream);
        return target.log().append(stream, events, expected);
      },
    };
    const to = createImporter({ ...target.options(), log: slow });
    there.push(pinpoint(1));
    await to.begin('run', source.manifest());
    const [all] = batchesOf(source, 1_000);
    await expect(to.addEvents(batch(all))).rejects.toThrow(LogUnavailable);
    expect(begun.filter(isHistory).at(-1)).toBe(pinpoint(3));
    expect(await target.log().lastRevisions([pinpoint(3), list(1)])).toEqual(['none', 2]);
  });
});
