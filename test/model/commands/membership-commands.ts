import fc from 'fast-check';
import { expectResponse, isThing, objectOf, type Request, refusal, send } from './expectation.ts';
import { anyKey, claim, keyRefusal, repeated } from './keys.ts';
import { anybody, type Name } from './people.ts';
import { type Choice, choiceOf, idOf } from './plans.ts';
import { commandOf, type ModelCommand } from './real.ts';
import { find, isShown, type Model, type Thing } from './state.ts';

/** An element of the body: the id of an object, or an invalid element. */
type Element = { readonly choice: Choice } | { readonly odd: unknown };

const oddElements: readonly unknown[] = [
  { id: '7' },
  { id: 0 },
  { id: -1 },
  { id: 1.5 },
  { id: null },
  {},
  7,
  null,
  'x',
  [],
  { id: { a: [1] } },
  { id: 2 ** 53 },
  JSON.parse('{"__proto__":{"id":1}}'),
];

const anyElement: fc.Arbitrary<Element> = fc.oneof(
  { weight: 12, arbitrary: choiceOf('pinpoints').map((choice) => ({ choice })) },
  { weight: 1, arbitrary: fc.constantFrom(...oddElements).map((odd) => ({ odd })) },
);

/** Bodies that are not an array, or an array that is too long. */
const oddBodies: readonly { readonly body: unknown; readonly message: string }[] = [
  { body: {}, message: 'Expected a list of items but got type "object".' },
  { body: { id: 1 }, message: 'Expected a list of items but got type "object".' },
  { body: Array.from({ length: 1_001 }, () => ({ id: 1 })), message: 'Ensure this field has no more than 1000 elements.' },
];

type Plan = {
  readonly method: 'POST' | 'DELETE';
  readonly who: Name;
  readonly list: Choice;
  readonly elements: readonly Element[];
  readonly oddBody: number | undefined;
  readonly key: string | undefined;
  readonly minimal: boolean;
};

/** Returns the id that an element contains, or undefined where the element is invalid. */
const asked = (element: unknown): number | undefined => {
  const id = sentId(element);
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
};

const sentId = (element: unknown): unknown =>
  typeof element === 'object' && element !== null && Object.hasOwn(element, 'id') ? (element as { id: unknown }).id : null;

/** Adds the ids to the list or removes them. Returns the expected body of the response. */
const apply = (model: Model, list: Thing, method: Plan['method'], elements: readonly unknown[]): { errors: unknown[]; total: number } => {
  const isMine = (id: number): boolean => {
    const pinpoint = find(model, 'pinpoints', id);
    return pinpoint !== undefined && pinpoint.account === list.account && isShown(model, pinpoint);
  };
  const errors: unknown[] = [];
  const seen = new Set<number>();
  const before = [...list.members].join();
  let total = 0;
  for (const element of elements) {
    const id = asked(element);
    if (id === undefined) errors.push({ id: sentId(element), code: 'invalid', detail: expect.any(String) });
    if (id === undefined || seen.has(id)) continue;
    seen.add(id);
    if (method === 'POST' && !isMine(id)) {
      errors.push({ id, code: 'not_found', detail: 'Not found.' });
      continue;
    }
    total += 1;
    if (method === 'POST') list.members.add(id);
    else list.members.delete(id);
  }
  if (before !== [...list.members].join()) list.revision += 1;
  return { errors, total };
};

const changeMembers = commandOf('changeMembers', async (model, real, plan: Plan) => {
  const { method } = plan;
  const person = real.people[plan.who];
  const id = idOf(model, person.account, plan.list);
  const found = objectOf(model, person.account, 'lists', id);
  const elements = plan.elements.map((element) => ('odd' in element ? element.odd : { id: idOf(model, person.account, element.choice) }));
  const odd = plan.oddBody === undefined ? undefined : oddBodies[plan.oddBody];
  const key = method === 'POST' ? plan.key : undefined;
  const request: Request = {
    person,
    method,
    path: `/lists/${id}/pinpoints`,
    headers: {
      'Content-Type': 'application/json',
      ...(plan.minimal ? { Prefer: 'return=minimal' } : {}),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: JSON.stringify(odd ? odd.body : elements),
  };
  const answer = await send(request);
  const refused = refusal(person, 'write');
  if (refused) return expectResponse(request, answer, refused);
  if (!isThing(found)) return expectResponse(request, answer, (odd ? undefined : repeated(model, request, key)) ?? found);
  if (odd) return expectResponse(request, answer, { status: 400, body: { non_field_errors: [odd.message] } });
  const early = keyRefusal(model, request, key);
  if (early) return expectResponse(request, answer, early);
  const applied = apply(model, found, method, elements);
  expectResponse(request, answer, method === 'DELETE' && plan.minimal ? { status: 204, text: '' } : { status: 200, body: applied });
  claim(model, request, key, answer);
});

export const membershipCommand: fc.Arbitrary<ModelCommand> = fc
  .record({
    method: fc.oneof({ weight: 3, arbitrary: fc.constant('POST' as const) }, { weight: 1, arbitrary: fc.constant('DELETE' as const) }),
    who: anybody,
    list: choiceOf('lists'),
    elements: fc.array(anyElement, { maxLength: 8 }),
    oddBody: fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(oddBodies.length - 1) }),
    key: anyKey,
    minimal: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
  .map(changeMembers);
