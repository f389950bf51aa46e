import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { someEvents } from '@waymark/event-log/testing/some-events.ts';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import type { Call } from '@waymark/http/call.ts';
import { closable, closableOrders, createWriteGate, type WriteGate } from './write-gate.ts';

const text = 'Writes are closed.';
const soon = async (refused: string | undefined): Promise<string | undefined> => refused;

const unexpected = async (): Promise<never> => {
  throw new Error('unexpected call');
};

/** Returns a log whose appends and erasures the test settles. */
const slowLog = () => {
  const { promise, resolve } = Promise.withResolvers<never>();
  const write = async () => promise;
  const log: EventLog = {
    append: write,
    eraseBefore: write,
    read: unexpected,
    lastRevisions: unexpected,
    owners: unexpected,
    subscribe: unexpected,
    state: unexpected,
  };
  return { log, settle: () => resolve(undefined as never) };
};

const summary = {} as Parameters<EventLog['eraseBefore']>[2];

describe('a gated log', () => {
  it.each<[string, WriteGate['refusal']]>([
    ['known', () => text],
    ['asked for', () => soon(text)],
  ])('refuses appends and erasures with the reason that is %s', async (_, refusal) => {
    const gate = createWriteGate(refusal);
    const log = gate.gated({ ...slowLog().log, append: unexpected, eraseBefore: unexpected });
    await expect(log.append('pinpoint-1', someEvents(1), 'none')).rejects.toThrow(new LogUnavailable(text));
    await expect(log.eraseBefore('pinpoint-1', 1, summary)).rejects.toThrow(new LogUnavailable(text));
    expect(gate.inProgress.size).toBe(0);
  });

  it('counts appends and erasures until they are settled', async () => {
    const gate = createWriteGate(() => undefined);
    const { log, settle } = slowLog();
    const gated = gate.gated(log);
    const writes = [gated.append('pinpoint-1', someEvents(1), 'none'), gated.eraseBefore('pinpoint-1', 1, summary)];
    expect(gate.inProgress.size).toBe(2);
    settle();
    await Promise.all(writes);
    expect(gate.inProgress.size).toBe(0);
  });
});

describe('a route', () => {
  const answer = { status: 204 };
  const handle = async () => answer;

  it('of a write answers 503 while writes are refused', async () => {
    for (const refusal of [() => text, () => soon(text)]) {
      const routes = closable({ refusal }, { 'POST /pinpoints': handle });
      await expect(routes['POST /pinpoints']?.({} as Call)).rejects.toMatchObject({ status: 503, body: { detail: text } });
    }
  });

  it('of a write answers while writes are accepted', async () => {
    for (const refusal of [() => undefined, () => soon(undefined)]) {
      const routes = closable({ refusal }, { 'POST /pinpoints': handle });
      expect(await routes['POST /pinpoints']?.({} as Call)).toBe(answer);
    }
  });

  it('of an operator that only reads answers while writes are refused', async () => {
    const orders = (['GET', 'POST'] as const).map((method): OpenRoute => ({ method, path: '/operator/applications', handle }));
    const [list, create] = closableOrders({ refusal: () => text }, orders);
    expect(await list?.handle({} as OpenCall)).toBe(answer);
    await expect(create?.handle({} as OpenCall)).rejects.toMatchObject({ status: 503 });
  });
});
