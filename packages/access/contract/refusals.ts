import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { refusalsStream } from '@waymark/domain/streams.ts';
import { AppendUndecided, type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';
import { conflictsMax, keptPerAccountMax } from '../refusals/limits.ts';
import { type RefusalPage, type RefusalPlace, readRefusals } from '../refusals/reading.ts';
import { createRefusalRecorder, type RefusalRecorder } from '../refusals/recorder.ts';
import type { Refusal, Refusals } from '../refusals/stored-refusals.ts';
import { sampleRefused } from '../testing/sample-refused.ts';

type Log = Pick<EventLog, 'append' | 'read' | 'lastRevisions'>;

const beginning: RefusalPlace = { revision: 0, offset: 0 };
const hourMs = 60 * 60_000;

/** Opens a recorder that appends only when it is closed. */
const recorderOn = (log: Log, logger = { warn: jest.fn() }, intervalMs = hourMs): RefusalRecorder =>
  createRefusalRecorder({ log, intervalMs, logger });

const today = (): string => new Date().toISOString().slice(0, 10);

type Account = {
  readonly id: () => string;
  /** Reads a page of today. */
  readonly page: (from?: RefusalPlace, limit?: number, keptSinceMs?: number) => Promise<RefusalPage>;
  /** Reads all pages of today. */
  readonly walk: (limit?: number) => Promise<Refusals>;
  /** Reads the statuses of all pages. */
  readonly statuses: (limit?: number) => Promise<readonly number[]>;
  /** Records requests with these statuses. */
  readonly record: (statuses: readonly number[]) => Promise<void>;
};

/** Provides an account for each test. */
const useAccount = (log: () => EventLog): Account => {
  let account = '';
  beforeEach(() => {
    account = randomUUID();
  });
  const page: Account['page'] = (from = beginning, limit = 500, keptSinceMs = 0) =>
    readRefusals(log(), { account, day: today(), from, limit, keptSinceMs });
  const walk: Account['walk'] = async (limit) => {
    const refusals: Refusal[] = [];
    let more = 0;
    for (let from: RefusalPlace | null = beginning; from !== null; ) {
      const found: RefusalPage = await page(from, limit);
      refusals.push(...found.refusals);
      more += found.more;
      from = found.next;
    }
    return { refusals, more };
  };
  return {
    id: () => account,
    page,
    walk,
    statuses: async (limit) => (await walk(limit)).refusals.map(({ status }) => status),
    record: async (statuses) => {
      const stream = refusalsStream(account, today());
      const [before] = await log().lastRevisions([stream]);
      // The last append, at the end, has a time limit: a busy machine may not keep it.
      const recorder = recorderOn(log(), undefined, 1);
      for (const status of statuses) recorder.note(sampleRefused(account, { status }));
      while ((await log().lastRevisions([stream]))[0] === before) await pause(1);
      await recorder.close();
    },
  };
};

/** Defines what every event log must do for the refused requests. */
export const refusalsContract = (name: string, log: () => EventLog) =>
  describe(`refused requests on ${name}`, () => {
    recording(log);
    leavingOut(log);
    describe('of a log that fails', () => failing(log));
  });

const recording = (log: () => EventLog): void => {
  const { id, page, walk, statuses, record } = useAccount(log);

  it('are read as they were noted, without the account, with their time', async () => {
    await record([404]);
    const { account: _, ...noted } = sampleRefused(id(), { status: 404 });
    expect(await page()).toEqual({ refusals: [{ ...noted, time: expect.stringMatching(/Z$/) }], more: 0, next: null });
  });

  it('are read page by page, also where a page ends within an event', async () => {
    await record([400, 401, 403]);
    await record([404]);
    await record([409, 412]);
    for (const limit of [1, 2, 3, 4, 6, 7]) expect(await statuses(limit)).toEqual([400, 401, 403, 404, 409, 412]);
  });

  it('are stored once each, in one event for each process, if many processes append at the same time', async () => {
    const all = Array.from({ length: conflictsMax }, (_, nth) => 400 + nth);
    const twice = all.flatMap((status) => [status, status]);
    const recorders = all.map((status) => {
      const recorder = recorderOn(log(), undefined, 1);
      for (const noted of [status, status]) recorder.note(sampleRefused(id(), { status: noted }));
      return recorder;
    });
    while ((await statuses()).length < twice.length) await pause(20);
    await Promise.all(recorders.map((recorder) => recorder.close()));
    expect((await statuses()).toSorted()).toEqual(twice);
    expect(await log().read(refusalsStream(id(), today()), 0)).toHaveLength(all.length);
  });

  it('are counted above the number that a process keeps', async () => {
    await record(Array.from({ length: keptPerAccountMax + 7 }, () => 400));
    await record([404]);
    const { refusals, more } = await walk(30);
    expect([refusals.length, more]).toEqual([keptPerAccountMax + 1, 7]);
  });

  it('are empty for an account and day without any', async () => {
    expect(await page()).toEqual({ refusals: [], more: 0, next: null });
  });
};

const leavingOut = (log: () => EventLog): void => {
  const { id, page, statuses, record } = useAccount(log);

  it('are left out once they have expired', async () => {
    await record([400]);
    expect((await page(beginning, 500, Date.now() - hourMs)).refusals).toHaveLength(1);
    expect((await page(beginning, 500, Date.now() + hourMs)).refusals).toEqual([]);
  });

  it('are left out if another program wrote them, and not read if a newer release did', async () => {
    const seal = (version: number, content: object) => sealHousekeeping({ type: 'RefusalsRecorded', version, content, origin: waymark });
    const strange = [seal(1, []), seal(1, { refusals: [{ status: 'x' }], more: 0 }), seal(1, { refusals: [], more: 'x' })];
    await log().append(refusalsStream(id(), today()), strange, 'none');
    await record([400]);
    expect(await statuses()).toEqual([400]);
    await log().append(refusalsStream(id(), today()), [seal(2, { refusals: [], more: 0 })], 3);
    await expect(page()).rejects.toThrow('RefusalsRecorded v2');
  });
};

const failing = (log: () => EventLog): void => {
  const { id, statuses } = useAccount(log);

  /** Runs a recorder over a log whose first append fails, until the requests are stored. */
  const recordOver = async (append: EventLog['append'], read = log().read): Promise<void> => {
    let failures = 0;
    const unreliable: Log = {
      ...log(),
      append: (...order) => {
        failures += 1;
        return failures === 1 ? append(...order) : log().append(...order);
      },
      read: (...order) => (failures === 1 ? read(...order) : log().read(...order)),
    };
    const logger = { warn: jest.fn() };
    const recorder = recorderOn(unreliable, logger, 20);
    recorder.note(sampleRefused(id()));
    while (failures === 0) await pause(5);
    recorder.note(sampleRefused(id(), { status: 404 }));
    while ((await statuses()).length < 2) await pause(20);
    await recorder.close();
    expect(logger.warn).toHaveBeenCalled();
  };

  it('are kept until it accepts them again', async () => {
    await recordOver(async () => {
      throw new LogUnavailable('Writes are closed.');
    });
    expect(await statuses()).toEqual([400, 404]);
  });

  it('are stored once if it stored them, but that was not known', async () => {
    const stored: EventLog['append'] = async (...order) => {
      await log().append(...order);
      throw new AppendUndecided('silence');
    };
    await recordOver(stored, async () => {
      throw new Error('broken');
    });
    expect(await statuses()).toEqual([400, 404]);
  });
};
