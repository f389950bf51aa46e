import fc from 'fast-check';
import { createCommand, prelude } from './commands/create-command.ts';
import { expectResponse, isThing, objectOf, type Request, send } from './commands/expectation.ts';
import { repeatCommand } from './commands/keys.ts';
import { kinds } from './commands/kinds.ts';
import { membershipCommand } from './commands/membership-commands.ts';
import { objectCommands } from './commands/object-commands.ts';
import { pageCommands, walkFrom } from './commands/page-commands.ts';
import { newPeople } from './commands/people.ts';
import { type Picture, somePictures } from './commands/pictures.ts';
import { processCommands } from './commands/process-commands.ts';
import type { ModelCommand, Real } from './commands/real.ts';
import { emptyModel, everything, isShown, type Model, textOf } from './commands/state.ts';
import { parameters, testMs, within } from './parameters.ts';
import { useServer } from './server.ts';

const server = useServer();

const runs = 30;
const commandsMax = 400;
const withinMs = 40_000;

const { update, remove, read, oddCall } = objectCommands;

const anyCommand: fc.Arbitrary<ModelCommand> = fc.oneof(
  { weight: 80, arbitrary: createCommand },
  { weight: 60, arbitrary: update },
  { weight: 20, arbitrary: remove },
  { weight: 40, arbitrary: read },
  { weight: 50, arbitrary: membershipCommand },
  { weight: 30, arbitrary: pageCommands.walk },
  { weight: 20, arbitrary: pageCommands.follow },
  { weight: 25, arbitrary: repeatCommand },
  { weight: 15, arbitrary: oddCall },
  { weight: 1, arbitrary: processCommands.restart },
  { weight: 1, arbitrary: processCommands.cut },
);

/** Compares, at the end of a run, every object that ever existed and every page. */
const expectEverything = async (model: Model, real: Real): Promise<void> => {
  for (const person of [real.people.ann, real.people.bob]) {
    for (const kind of kinds) {
      const { account } = person;
      await walkFrom(model, person, `/${kind}?limit=500`, { account, kind, within: undefined, direction: 'next', from: 0, limit: 500 });
    }
    for (const thing of everything(model)) {
      const request: Request = { person, method: 'GET', path: `/${thing.kind}/${thing.id}` };
      const found = objectOf(model, person.account, thing.kind, thing.id);
      expectResponse(request, await send(request), isThing(found) ? { status: 200, text: textOf(found) } : found);
    }
  }
};

describe('a model of the API', () => {
  const givenOut = new Set<string>();
  let pictures: readonly Picture[] = [];
  let count = 0;
  const fresh = (): string => {
    count += 1;
    return `fresh-${count}`;
  };
  let seen = 0;

  beforeAll(async () => {
    pictures = await somePictures();
  });

  it(
    'predicts every response of the real service, through restarts and kills',
    async () => {
      const commands = fc.commands([anyCommand], { maxCommands: commandsMax, size: 'max', ...replay() });
      const property = fc.asyncProperty(
        commands,
        within(withinMs, async (steps: Iterable<ModelCommand>) => {
          const people = await newPeople(server(), fresh());
          const real: Real = { server: server(), people, pictures, givenOut, fresh };
          const model = emptyModel();
          await prelude(model, real);
          await fc.asyncModelRun(() => ({ model, real }), steps);
          await expectEverything(model, real);
          seen += everything(model).filter((thing) => isShown(model, thing)).length;
        }),
      );
      await fc.assert(property, parameters(runs));
      expect(seen).toBeGreaterThan(0);
    },
    testMs,
  );

  it('leaves a log and read models that agree', async () => {
    const answer = await server().operator('POST', '/verify');
    expect(answer.body).toMatchObject({
      sound: true,
      log: [],
      clocks: [],
      readModels: { equal: true, position: expect.any(Number) },
      history: { equal: true, position: expect.any(Number) },
      unchecked: [],
    });
  });
});

/** A failure also prints the commands that were run. WAYMARK_PROPERTY_REPLAY accepts the replayPath that is printed with them. */
const replay = () => {
  const { WAYMARK_PROPERTY_REPLAY: replayPath } = process.env;
  return replayPath === undefined ? {} : { replayPath };
};
