import { resourceStream } from '@waymark/domain/streams.ts';
import { acknowledgingRepeats } from '@waymark/event-log/testing/acknowledging-repeats.ts';
import fc, { type Scheduler } from 'fast-check';
import { aList, members } from '../../api/samples.ts';
import type { Page } from '../../api/session.ts';
import { parameters, testMs, within } from '../parameters.ts';
import { createFixture, type Fixture } from './fixture.ts';
import type { InstanceResponse, Request } from './instance.ts';
import { createMortalProcess, directOn, immortal } from './process.ts';
import { stageOn } from './stage.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

const runs = 60;
const withinMs = 20_000;

/** Requests of third parties that run concurrently with a keyed request that adds both pinpoints to a list. */
const acts: Readonly<Record<string, (ground: Fixture) => Request>> = {
  'removes both': ({ account, list, doomed, lasting }) => ({
    endpoint: 'DELETE /lists/:id/pinpoints',
    account,
    id: list,
    body: members(doomed, lasting),
  }),
  'adds one': ({ account, list, lasting }) => ({ endpoint: 'POST /lists/:id/pinpoints', account, id: list, body: members(lasting) }),
  'adds the other': ({ account, list, doomed }) => ({ endpoint: 'POST /lists/:id/pinpoints', account, id: list, body: members(doomed) }),
  'deletes one': ({ account, doomed }) => ({ endpoint: 'DELETE /pinpoints/:id', account, id: doomed }),
  'deletes the other': ({ account, lasting }) => ({ endpoint: 'DELETE /pinpoints/:id', account, id: lasting }),
  'renames the list': ({ account, list }) => ({ endpoint: 'PUT /lists/:id', account, id: list, body: aList({ name: 'Renamed' }) }),
};

type Plan = {
  /** The step at which each process that runs the keyed request dies. */
  readonly diesAt: readonly number[];
  readonly others: readonly (readonly string[])[];
};

const race = async (scheduler: Scheduler, { diesAt, others }: Plan): Promise<void> => {
  const ground = await createFixture(installation());
  const { account, list, doomed, lasting } = ground;
  const request: Request = { endpoint: 'POST /lists/:id/pinpoints', account, id: list, body: members(doomed, lasting), key: 'key' };
  const before = (await installation().log.state()).head;
  const stage = stageOn(scheduler, installation());
  const log = acknowledgingRepeats(installation().log);
  const answers: InstanceResponse[] = [];
  const keyed = diesAt.map((dieAt) => async (): Promise<void> => {
    const response = await createMortalProcess(installation(), dieAt, stage, log).send(request);
    if (response) answers.push(response);
  });
  /** Whether a removal began after the keyed request was answered. */
  let removedAfter = false;
  const third = others.map((names) => async (): Promise<void> => {
    const process = createMortalProcess(installation(), immortal, stage);
    for (const name of names) {
      const isAnswered = answers.length > 0;
      await process.send(acts[name]?.(ground) ?? request);
      removedAfter ||= isAnswered && name === 'removes both';
    }
  });
  await stage.run([...keyed, ...third]);

  const settled = [...answers, await directOn(installation()).send(request), await directOn(installation()).send(request)];
  expect(settled.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  const texts = new Set(settled.filter(({ status }) => status === 200).map(({ text }) => text));
  expect([...texts]).toHaveLength(1);
  const appended = installation()
    .after(before)
    .filter(({ stream }) => stream === resourceStream('list', list));
  expect(new Set(appended.map(({ envelope }) => envelope.id)).size).toBe(appended.length);

  const adders = others.flat().filter((name) => name.startsWith('adds'));
  if (!removedAfter || adders.length > 0) return;
  const page = (await directOn(installation()).send({ endpoint: 'GET /pinpoints', account, query: `?list=${list}` })).json as Page;
  expect(page.results).toEqual([]);
};

describe('a keyed request that several processes run while others undo its work', () => {
  it(
    'is applied at most once, always gets the same response, and restores no removed member, in any interleaving',
    async () => {
      const deaths = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(immortal) }, { weight: 1, arbitrary: fc.nat(30) }), {
        minLength: 2,
        maxLength: 4,
      });
      const others = fc.array(fc.array(fc.constantFrom(...Object.keys(acts), 'removes both'), { minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 3,
      });
      const plan = fc.record({ diesAt: deaths, others });
      await fc.assert(fc.asyncProperty(fc.scheduler(), plan, within(withinMs, race)), parameters(runs));
    },
    testMs,
  );
});
