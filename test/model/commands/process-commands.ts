import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Answer } from '../../api/client.ts';
import { createdObject } from './create-command.ts';
import { expectResponse, type Request, send } from './expectation.ts';
import { claim } from './keys.ts';
import { commandOf, type ModelCommand, type Real } from './real.ts';
import { edit, type Model, shownTo, textOf } from './state.ts';

const signals = fc.constantFrom('SIGTERM' as const, 'SIGKILL' as const);

type Signal = 'SIGTERM' | 'SIGKILL';

const restart = commandOf('restart', async (_model, real, { signal }: { readonly signal: Signal }) => real.server.restart(signal));

type CutPlan = { readonly signal: Signal; readonly creates: number; readonly afterMs: number };

/** Ends the process while writes are in flight. Writes that were answered are kept. For the others, a repeat with the same key decides. */
const cut = commandOf('cut', async (model, real, { signal, creates, afterMs }: CutPlan) => {
  const requests = Array.from({ length: creates }, () => aCreate(real));
  const answers = requests.map(cutSend);
  const edited = cutEdit(model, real);
  await sleep(afterMs);
  await real.server.restart(signal);
  for (const [at, request] of requests.entries()) await settle(model, real, request, await answers[at]);
  await (await edited)();
});

const aCreate = (real: Real): Request => ({
  person: real.people.ann,
  method: 'POST',
  path: '/lists',
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': real.fresh() },
  body: JSON.stringify({ name: real.fresh(), description: 'cut off' }),
});

/** Sends a request. Resolves to undefined where the process ended before it answered. */
const cutSend = (request: Request): Promise<Answer | undefined> => send(request).catch(() => undefined);

const settle = async (model: Model, real: Real, request: Request, first: Answer | undefined): Promise<void> => {
  const again = await send(request);
  expectResponse(request, again, { status: 201 });
  if (first !== undefined) expectResponse(request, first, { status: 201, text: again.text });
  const { name, description } = JSON.parse(String(request.body));
  const list = createdObject(real, 'lists', request.person.account, { fields: { name, description }, picture: undefined }, again);
  expectResponse(request, again, { status: 201, text: textOf(list) });
  model.things.lists.push(list);
  claim(model, request, String(request.headers?.['Idempotency-Key']), again);
};

/** Sends an edit that may be cut off. It may or may not be applied; if it was answered, it was applied.
 * @returns a function that finds out and checks the result */
const cutEdit = async (model: Model, real: Real): Promise<() => Promise<void>> => {
  const list = shownTo(model, 'a', 'lists').at(-1);
  if (list === undefined) return async () => undefined;
  const path = `/lists/${list.id}`;
  const name = real.fresh();
  const request: Request = {
    person: real.people.ann,
    method: 'PUT',
    path,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
  };
  const first = await cutSend(request);
  return async () => {
    const look: Request = { person: real.people.ann, method: 'GET', path };
    const answer = await send(look);
    const isMade = (answer.body as { name?: unknown }).name === name;
    if (isMade || first !== undefined) edit(list, { fields: { name }, picture: undefined });
    expectResponse(look, answer, { status: 200, text: textOf(list) });
  };
};

export const processCommands: Readonly<Record<'restart' | 'cut', fc.Arbitrary<ModelCommand>>> = {
  restart: fc.record({ signal: signals }).map(restart),
  cut: fc.record({ signal: signals, creates: fc.integer({ min: 1, max: 8 }), afterMs: fc.nat(12) }).map(cut),
};
