import fc from 'fast-check';
import type { Answer } from '../../api/client.ts';
import { detailed, type Expected, expectResponse, type Request, refusal, send } from './expectation.ts';
import { commandOf, type ModelCommand } from './real.ts';
import type { Model } from './state.ts';

const goodKeys = ['one', 'two', 'ONE', '__proto__', '"~;,=\\{}', 'k'.repeat(255)];
const badKeys = ['a b', '\u00e9', 'k'.repeat(256)];

/** An Idempotency-Key in some of the requests. There are few different keys, so that some are used again. */
export const anyKey: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 20, arbitrary: fc.constant(undefined) },
  { weight: 9, arbitrary: fc.constantFrom(...goodKeys) },
  { weight: 1, arbitrary: fc.constantFrom(...badKeys) },
);

const placeOf = ({ person, path }: Request, key: string): string =>
  JSON.stringify([person.session.application.client_id, path.replace(/\/$/, ''), key]);

/** Returns the response that a request gets because of its key, or undefined where it is to be processed. */
export const keyRefusal = (model: Model, request: Request, key: string | undefined): Expected | undefined => {
  if (key === undefined) return undefined;
  if (badKeys.includes(key)) return detailed(400);
  const kept = model.requests.get(placeOf(request, key));
  if (kept === undefined) return undefined;
  return kept.text === request.body ? { status: kept.status, text: kept.answer } : detailed(422);
};

/** Returns the first response of a repeated request, whatever has become of the object since. */
export const repeated = (model: Model, request: Request, key: string | undefined): Expected | undefined =>
  key === undefined || badKeys.includes(key) ? undefined : keyRefusal(model, request, key);

/** Records the response to a request with a key, which its repeats get as well. */
export const claim = (model: Model, request: Request, key: string | undefined, { status, text }: Answer): void => {
  if (key === undefined) return;
  const { person, path, body } = request;
  const application = person.session.application.client_id;
  model.requests.set(placeOf(request, key), { application, key, path, text: String(body), status, answer: text });
};

type RepeatPlan = { readonly nth: number; readonly otherwise: boolean };

/** Sends a request again that had a key, or another body with the same key. Whether its object still exists makes no difference. */
const repeat = commandOf('repeat', async (model, real, { nth, otherwise }: RepeatPlan) => {
  const kept = [...model.requests.values()][nth % Math.max(1, model.requests.size)];
  const person = Object.values(real.people).find(({ session }) => session.application.client_id === kept?.application);
  if (kept === undefined || person === undefined) return;
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': kept.key };
  const request: Request = { person, method: 'POST', path: kept.path, headers, body: otherwise ? `${kept.text} ` : kept.text };
  const answer = await send(request);
  const refused = refusal(person, 'write');
  expectResponse(request, answer, refused ?? keyRefusal(model, request, kept.key) ?? { status: 0 });
});

export const repeatCommand: fc.Arbitrary<ModelCommand> = fc
  .record({
    nth: fc.nat(1_000),
    otherwise: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
  .map(repeat);
