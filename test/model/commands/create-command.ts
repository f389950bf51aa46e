import fc from 'fast-check';
import type { Answer } from '../../api/client.ts';
import { publicUrl } from '../server.ts';
import { anyEnvelope, type Envelope, enveloped } from './envelopes.ts';
import { expectResponse, type Request, recordTag, refusal, send } from './expectation.ts';
import { anyKey, claim, keyRefusal } from './keys.ts';
import { type Asked, judge, type Kind, kinds, urlOf } from './kinds.ts';
import { anybody, type Name } from './people.ts';
import { type BodyPlan, bodyPlan, bodyText, type Wish } from './plans.ts';
import { commandOf, expectNeverGivenOut, type ModelCommand, type Real } from './real.ts';
import { created, type Model, setUrl, type Thing, textOf, worldOf } from './state.ts';

/** Adopts the URL of a file that was just stored. The URL must belong to the server, and must be new. */
export const recordUrl = (real: Real, thing: Thing, answer: Answer): void => {
  const url = String((answer.body as Readonly<Record<string, unknown>>)[urlOf[thing.kind] ?? '']);
  expect(url).toMatch(new RegExp(`^${publicUrl}/media/[0-9a-f]{32}\\.[a-z]+$`));
  expectNeverGivenOut(real, url);
  setUrl(thing, url);
};

type CreatePlan = {
  readonly kind: Kind;
  readonly who: Name;
  readonly body: BodyPlan;
  readonly envelope: Envelope;
  readonly key: string | undefined;
  readonly slash: '' | '/';
};

export const create = commandOf('create', async (model, real, plan: CreatePlan) => {
  const { kind, envelope, key } = plan;
  const person = real.people[plan.who];
  const sent = enveloped(envelope, bodyText(plan.body, model, person.account, real.pictures));
  const path = `/${kind}${plan.slash}`;
  const request: Request = {
    person,
    method: 'POST',
    path,
    headers: { ...sent.headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
    body: sent.body,
  };
  const answer = await send(request);
  const early = refusal(person, 'write') ?? sent.problem ?? keyRefusal(model, request, key);
  if (early) return expectResponse(request, answer, early);
  const judgement = judge(kind, true, sent.json, worldOf(model, person.account, real.pictures));
  if (judgement.asked === undefined) return expectResponse(request, answer, { status: 400, body: judgement.faults });
  expectResponse(request, answer, { status: 201 });
  const thing = createdObject(real, kind, person.account, judgement.asked, answer);
  expectResponse(request, answer, { status: 201, text: textOf(thing) });
  model.things[kind].push(thing);
  claim(model, request, key, answer);
});

/** Returns the object that a 201 describes. */
export const createdObject = (real: Real, kind: Kind, account: string, asked: Asked, answer: Answer): Thing => {
  const { id } = answer.body as { id: number };
  expect(Number.isSafeInteger(id) && id > 0).toBe(true);
  expectNeverGivenOut(real, `${kind} ${id}`);
  const thing = created(kind, account, id, asked);
  if (thing.picture !== null) recordUrl(real, thing, answer);
  recordTag(thing, 0, answer);
  return thing;
};

const createPlan = (kind: Kind): fc.Arbitrary<CreatePlan> =>
  fc.record({
    kind: fc.constant(kind),
    who: anybody,
    body: bodyPlan(kind, true),
    envelope: anyEnvelope,
    key: anyKey,
    slash: fc.constantFrom('' as const, '' as const, '/' as const),
  });

export const createCommand: fc.Arbitrary<ModelCommand> = fc
  .constantFrom(...kinds)
  .chain(createPlan)
  .map(create);

const own = (of: Kind, nth: number): Wish => ({ refer: { of, nth, whose: 'own' } });
const day = { start: '2026-06-01T08:00:00.000Z', end: '2026-06-01T18:00:00.000Z' };

/** Creates a few objects of every kind in both accounts, so that commands have objects to work on from the start. */
export const prelude = async (model: Model, real: Real): Promise<void> => {
  const wishes: Readonly<Record<Kind, (nth: number) => BodyPlan['wishes']>> = {
    categories: (nth) => ({ name: { give: `Category ${nth}` }, image_file: { picture: 0, as: 'it is' } }),
    pinpoints: (nth) => ({
      name: { give: `Pinpoint ${nth}` },
      latitude: { give: nth },
      longitude: { give: -nth },
      category: own('categories', nth),
    }),
    lists: (nth) => ({ name: { give: `List ${nth}` } }),
    events: (nth) => ({ name: { give: `Event ${nth}` }, pinpoint: own('pinpoints', nth), dates: { give: [day] } }),
  };
  for (const who of ['ann', 'bob'] as const) {
    for (const kind of ['categories', 'pinpoints', 'lists', 'events'] as const) {
      for (let nth = 0; nth < 3; nth += 1) {
        const body = { wishes: wishes[kind](nth), noise: '{}' };
        await create({ kind, who, body, envelope: 'JSON', key: undefined, slash: '' }).run(model, real);
      }
    }
  }
};
