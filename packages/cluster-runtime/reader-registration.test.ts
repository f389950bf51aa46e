import { setTimeout as pause } from 'node:timers/promises';
import { leaseMs, seenMs } from '@waymark/read-models/mongodb/limits.ts';
import type { Roles } from '@waymark/read-models/mongodb/read-side.ts';
import { until } from '@waymark/redis/testing/connections.ts';
import { type ReaderRegistration, registerReader } from './reader-registration.ts';

/** The roles while a generation is live that this version reads. */
const live = (): Roles => ({ read: '1-a', isSuperseded: false, awaited: ['1-a'], askedAtMs: performance.now() });
/** The roles after another version has superseded it. */
const superseded = (): Roles => ({ ...live(), isSuperseded: true, awaited: ['1-a', '2-b'] });

describe('the generations that writes wait for', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const registered = (roles: () => Promise<Roles>) =>
    registerReader({ generations: { readRoles: roles, seen: async () => undefined }, beat: async () => undefined }, { reads: false });

  it('are known', async () => {
    const { awaited, close } = registered(async () => live());
    await jest.advanceTimersByTimeAsync(1_000);
    expect(awaited()).toEqual(['1-a']);
    close();
  });

  it('are unknown once the query is too old that named them, however late its answer came', async () => {
    const old = live();
    const { awaited, close } = registered(async () => old);
    await jest.advanceTimersByTimeAsync(leaseMs - 1);
    expect(awaited()).toEqual(['1-a']);
    await jest.advanceTimersByTimeAsync(1);
    expect(awaited()).toEqual([]);
    close();
  });
});

describe('the queries', () => {
  /** Registers a reader, and waits until it has begun so many queries.
   * @returns when each of them began, and when it was answered, in milliseconds */
  const asking = async (queries: number, queryMs: number) => {
    const [began, answered]: [number[], number[]] = [[], []];
    const readRoles = async (): Promise<Roles> => {
      began.push(performance.now());
      const roles = live();
      await pause(queryMs);
      answered.push(performance.now());
      return roles;
    };
    const { close } = registerReader(
      { generations: { readRoles, seen: async () => undefined }, beat: async () => undefined },
      { reads: true },
    );
    await until(() => began.length === queries);
    close();
    return { began, answered };
  };

  it('come once a second, once a generation is known', async () => {
    const { began } = await asking(4, 0);
    expect((began.at(-1) ?? 0) - (began[0] ?? 0)).toBeGreaterThan(2.9 * seenMs);
  });

  it('follow one another at once where the database takes a second for each: the next answer comes before the last one is too old', async () => {
    const { began, answered } = await asking(4, seenMs);
    const pauses = answered.slice(0, 3).map((atMs, nth) => (began[nth + 1] ?? 0) - atMs);
    // A busy machine delays some of them.
    expect(Math.min(...pauses)).toBeLessThan(seenMs / 2);
  });
});

describe('a process that reads', () => {
  type Store = { roles: () => Roles; registrations: number };

  /** Registers a reader, for at least one attempt to register it. */
  const reading = async (
    roles: () => Roles,
    use: (store: Store, registration: ReaderRegistration) => Promise<void>,
    registrationMs = 0,
  ): Promise<void> => {
    const store: Store = { roles, registrations: 0 };
    const seen = async (): Promise<void> => {
      await pause(registrationMs, undefined, { ref: false });
      store.registrations += 1;
    };
    const generations = { readRoles: async () => store.roles(), seen };
    const registration = registerReader({ generations, beat: async () => undefined }, { reads: true });
    await pause(registrationMs + seenMs);
    await use(store, registration).finally(registration.close);
  };

  it('serves once it has registered, and stays registered while its version is superseded', () =>
    reading(live, async (store, { notReady }) => {
      expect(notReady()).toEqual([]);
      store.roles = superseded;
      const before = store.registrations;
      await until(() => store.registrations > before);
      expect(notReady()).toEqual([]);
    }));

  it('does not serve if its version was superseded before it started, until a new generation of it is live', () =>
    reading(superseded, async (store, { notReady }) => {
      expect(store.registrations).toBe(0);
      expect(notReady()).toHaveLength(1);
      store.roles = live;
      await until(() => notReady().length === 0);
      expect(store.registrations).toBe(1);
    }));

  it('does not serve while no generation is live', () =>
    reading(
      () => {
        throw new Error('No generation is live.');
      },
      async (_, { notReady }) => {
        expect(notReady()).toHaveLength(1);
      },
    ));

  it('does not serve if its registration took so long that the generation may have been superseded and dropped meanwhile', () =>
    reading(
      live,
      async (store, { notReady }) => {
        await until(() => store.registrations > 0);
        expect(notReady()).toHaveLength(1);
      },
      leaseMs + 100,
    ));
});
