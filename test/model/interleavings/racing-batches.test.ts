import type { RecordedEvent } from '@waymark/domain/event.ts';
import { acknowledgingRepeats } from '@waymark/event-log/testing/acknowledging-repeats.ts';
import fc from 'fast-check';
import { members } from '../../api/samples.ts';
import { parameters, testMs, within } from '../parameters.ts';
import { adding, eventsOf, renaming } from './batch.ts';
import { createFixture, type Fixture } from './fixture.ts';
import type { Request } from './instance.ts';
import { createMortalProcess, immortal } from './process.ts';
import { stageOn } from './stage.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();
const runs = 60;
const withinMs = 20_000;

/** The requests of a race, by name. */
const acts: Readonly<Record<string, (ground: Fixture, nth: number) => Request>> = {
  renames: (ground, nth) => renaming(ground, `Name ${nth % 3}`),
  'adds one': (ground) => adding(ground, ground.lasting),
  'adds one with a key': (ground, nth) => adding(ground, ground.lasting, `one-${nth % 2}`),
  'adds the other with a key': (ground, nth) => adding(ground, ground.doomed, `other-${nth % 2}`),
  'removes both': ({ account, list: id, lasting, doomed }) => ({
    endpoint: 'DELETE /lists/:id/pinpoints',
    account,
    id,
    body: members(lasting, doomed),
  }),
};

it(
  'several requests of two processes for one list leave each one event at most, and all of them the state that the log says',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.tuple(...[1, 2].map(() => fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 1, maxLength: 6 }))),
        within(withinMs, async (scheduler, processes: readonly (readonly string[])[]) => {
          const ground = await createFixture(installation());
          const stage = stageOn(scheduler, installation());
          const log = acknowledgingRepeats(installation().log);
          const before = eventsOf(installation(), ground).length;
          const sent = processes.flatMap((names) => {
            const process = createMortalProcess(installation(), immortal, stage, log);
            return names.map((name, nth) => () => process.send((acts[name] as (typeof acts)[string])(ground, nth)));
          });
          const responses = await stage.run(sent);
          expect(responses.filter((response) => response === undefined || ![200, 409, 503].includes(response.status))).toEqual([]);
          const events = eventsOf(installation(), ground);
          expect(events.map(({ revision }) => revision)).toEqual(events.map((_, nth) => nth));
          expect(new Set(events.map(({ envelope }) => envelope.id)).size).toBe(events.length);
          expect(events.length - before).toBeLessThanOrEqual(responses.filter((response) => response?.status === 200).length);
          await installation().catchUp();
          expect(await membersIn(ground)).toEqual(membersSaidBy(events));
        }),
      ),
      parameters(runs),
    ),
  testMs,
);

/** The members of the list in the read models. */
const membersIn = async ({ list, lasting, doomed }: Fixture): Promise<readonly number[]> => {
  const { members: found } = await installation().models.membership(list, [lasting, doomed]);
  return [...found].sort((one, other) => one - other);
};

/** The members of the list according to its events. */
const membersSaidBy = (events: readonly RecordedEvent[]): readonly number[] => {
  const found = new Set<number>();
  for (const { envelope, content } of events) {
    const { pinpoints = [] } = JSON.parse(content ?? '{}') as { readonly pinpoints?: readonly number[] };
    for (const pinpoint of pinpoints) {
      if (envelope.type === 'PinpointsAdded') found.add(pinpoint);
      else found.delete(pinpoint);
    }
  }
  return [...found].sort((one, other) => one - other);
};
