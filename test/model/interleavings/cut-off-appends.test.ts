import type { EventLog } from '@waymark/event-log/event-log.ts';
import { AppendUndecided, LogUnavailable } from '@waymark/event-log/event-log.ts';
import fc, { type Scheduler } from 'fast-check';
import { parameters, testMs, within } from '../parameters.ts';
import { made } from './fixture.ts';
import type { InterleavedInstallation } from './installation.ts';
import type { InstanceResponse, Request } from './instance.ts';
import { createMortalProcess, directOn, immortal } from './process.ts';
import { type Stage, stageOn } from './stage.ts';
import { anAccount, useInstallation } from './use-installation.ts';

const installation = useInstallation();

const runs = 40;
const withinMs = 25_000;

/** The outcome of an append: it succeeds, it is refused, or its response is lost before the append, after it, or while the append is still
 * to come. */
const faults = ['none', 'unavailable', 'cut off before', 'cut off after', 'cut off and made later'] as const;
type Fault = (typeof faults)[number];

/** Returns a log whose appends meet these faults in order. After the last fault, all appends succeed. */
const faultyLog = (log: EventLog, plan: readonly Fault[], stage: Stage): EventLog => {
  let nth = 0;
  return {
    ...log,
    append: async (...what) => {
      const fault = plan[nth] ?? 'none';
      nth += 1;
      switch (fault) {
        case 'none':
          return log.append(...what);
        case 'unavailable':
          throw new LogUnavailable('away');
        case 'cut off before':
          throw new AppendUndecided('cut off');
        case 'cut off after':
          await log.append(...what);
          throw new AppendUndecided('cut off');
        case 'cut off and made later':
          void stage.pause('a late append').then(() => stage.busy(log.append(...what)));
          throw new AppendUndecided('cut off');
      }
    },
  };
};

/** A write that leaves a unique mark in the log. */
type Write = { readonly kind: number; readonly keyed: boolean };

const requestOf = (account: string, list: number, { kind, keyed }: Write, mark: string): Request => {
  const key = keyed ? { key: mark } : {};
  const body = { name: mark };
  if (kind === 0) return { endpoint: 'POST /lists', account, body, ...key };
  if (kind === 1) return { endpoint: 'POST /pinpoints', account, body: { ...body, latitude: 1, longitude: 1 }, ...key };
  return { endpoint: 'PUT /lists/:id', account, id: list, body };
};

const timesIn = (events: ReturnType<InterleavedInstallation['after']>, mark: string): number =>
  events.filter(({ envelope, content }) => envelope.type !== 'RequestClaimed' && content?.includes(`"${mark}"`)).length;

/** Reports whether the response says that nothing was stored. */
const isRefused = ({ status, text }: InstanceResponse): boolean => status === 503 && !text.includes('not known');

type Plan = { readonly writes: readonly Write[]; readonly faults: readonly Fault[] };

const disturb = async (scheduler: Scheduler, plans: readonly Plan[]): Promise<void> => {
  const account = anAccount();
  const direct = directOn(installation());
  const list = await made(direct, { endpoint: 'POST /lists', account, body: { name: 'list' } });
  const { head: before } = await installation().log.state();
  const stage = stageOn(scheduler, installation());
  const done: { readonly request: Request; readonly mark: string; readonly response: InstanceResponse }[] = [];
  const acts = plans.map((plan, process) => async () => {
    const { send } = createMortalProcess(installation(), immortal, stage, faultyLog(installation().log, plan.faults, stage));
    for (const [nth, write] of plan.writes.entries()) {
      const mark = `mark ${process}.${nth}.`.replaceAll(' ', '-');
      const request = requestOf(account, list, write, mark);
      const response = await send(request);
      if (response) done.push({ request, mark, response });
    }
  });
  await stage.run(acts);
  for (const { request, mark, response } of done) {
    const times = timesIn(installation().after(before), mark);
    expect([mark, response.status, [200, 201, 503].includes(response.status)]).toEqual([mark, response.status, true]);
    if (response.status !== 503) expect([mark, times]).toEqual([mark, 1]);
    else expect([mark, times]).toEqual([mark, isRefused(response) ? 0 : Math.min(times, 1)]);
    if (request.key === undefined) continue;
    const again = await direct.send(request);
    expect([mark, again.status, timesIn(installation().after(before), mark)]).toEqual([mark, 201, 1]);
    if (response.status === 201) expect(again.text).toBe(response.text);
  }
  const ids = installation()
    .after(before)
    .map(({ envelope }) => envelope.id);
  expect(new Set(ids).size).toBe(ids.length);
};

describe('writes whose appends are refused, cut off, or made after the response was lost', () => {
  it(
    'are neither lost nor made twice, in any interleaving',
    async () => {
      const write = fc.record({ kind: fc.nat(2), keyed: fc.boolean() });
      const plan = fc.record({
        writes: fc.array(write, { minLength: 1, maxLength: 4 }),
        faults: fc.array(fc.constantFrom<Fault[]>('none', ...faults), { maxLength: 12 }),
      });
      const property = fc.asyncProperty(fc.scheduler(), fc.array(plan, { minLength: 1, maxLength: 3 }), within(withinMs, disturb));
      await fc.assert(property, parameters(runs));
    },
    testMs,
  );
});
