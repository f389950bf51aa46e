import { isHistory } from '@waymark/domain/streams.ts';
import { acknowledgingRepeats } from '@waymark/event-log/testing/acknowledging-repeats.ts';
import fc, { type Scheduler } from 'fast-check';
import { parameters, testMs, within } from '../parameters.ts';
import { createFixture } from './fixture.ts';
import type { InstanceResponse } from './instance.ts';
import { factsOf, keyedRequests } from './keyed-requests.ts';
import { createMortalProcess, directOn, immortal } from './process.ts';
import { stageOn } from './stage.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

const runs = 12;
const withinMs = 8_000;
const stepsMax = 200;

const headOf = async (): Promise<number> => (await installation().log.state()).head;
const factsAfter = (position: number): number =>
  installation()
    .after(position)
    .filter(({ stream }) => isHistory(stream)).length;

const isSuccess = (response: InstanceResponse | undefined): response is InstanceResponse => response !== undefined && response.status < 300;

/** Checks that all successful responses are the same, whichever process sent them. */
const expectOne = (answers: readonly (InstanceResponse | undefined)[]): void => {
  const texts = answers.filter(isSuccess).map(({ status, text }) => `${status} ${text}`);
  expect(new Set(texts).size).toBe(1);
};

describe.each(Object.entries(keyedRequests))('a request with a key that makes %s', (name, requestOn) => {
  it(
    'makes exactly one, with the same response, when its process dies at any step and another one repeats it',
    async () => {
      let steps = 0;
      let isCut = true;
      while (isCut) {
        expect(steps).toBeLessThan(stepsMax);
        const request = await requestOn(await createFixture(installation()));
        const before = await headOf();
        // The process that dies applies events to the read models itself, so that it need not wait for them.
        const first = await createMortalProcess({ ...installation(), reached: caughtUp }, steps).send(request);
        const again = await directOn(installation()).send(request);
        const third = await directOn(installation()).send(request);
        expectOne([first, again, third]);
        expect([isSuccess(again), isSuccess(third)]).toEqual([true, true]);
        expect([steps, factsAfter(before)]).toEqual([steps, factsOf(name)]);
        isCut = first === undefined;
        steps += 1;
      }
      expect(steps).toBeGreaterThan(4);
    },
    testMs,
  );

  it(
    'makes exactly one when several processes run it at once and die at any step, in any interleaving',
    async () => {
      const deaths = fc.array(fc.oneof(fc.constant(immortal), fc.nat(24)), { minLength: 2, maxLength: 4 });
      const race = async (scheduler: Scheduler, diesAt: readonly number[]): Promise<void> => {
        const request = await requestOn(await createFixture(installation()));
        const before = await headOf();
        const stage = stageOn(scheduler, installation());
        const log = acknowledgingRepeats(installation().log);
        const answers = await stage.run(diesAt.map((dieAt) => () => createMortalProcess(installation(), dieAt, stage, log).send(request)));
        const last = await directOn(installation()).send(request);
        expectOne([...answers, last]);
        expect(answers.filter((response) => response !== undefined && response.status >= 300)).toEqual([]);
        expect(factsAfter(before)).toBe(factsOf(name));
      };
      await fc.assert(fc.asyncProperty(fc.scheduler(), deaths, within(withinMs, race)), parameters(runs));
    },
    testMs,
  );

  it('makes exactly one within one process, which makes the other requests wait', async () => {
    const request = await requestOn(await createFixture(installation()));
    const before = await headOf();
    const { send } = directOn(installation());
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(request)));
    expectOne(answers);
    expect(answers.filter(({ status }) => status >= 300 && status !== 409)).toEqual([]);
    expect(factsAfter(before)).toBe(factsOf(name));
  });
});

const caughtUp = async (): Promise<true> => {
  await installation().catchUp();
  return true;
};
