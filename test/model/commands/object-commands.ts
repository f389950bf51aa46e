import fc from 'fast-check';
import { recordUrl } from './create-command.ts';
import { anyEnvelope, type Envelope, enveloped } from './envelopes.ts';
import {
  detailed,
  type Expected,
  expectResponse,
  forbidden,
  isThing,
  notFound,
  type Request,
  recordTag,
  refusal,
  send,
} from './expectation.ts';
import { judge, type Kind, kinds } from './kinds.ts';
import { anybody, type Name } from './people.ts';
import { type BodyPlan, bodyPlan, bodyText } from './plans.ts';
import { commandOf, type ModelCommand } from './real.ts';
import { edit, type Thing, textOf, worldOf } from './state.ts';
import { anyCondition, type Condition, type Target, tagsFor, targeted, targetOf } from './targets.ts';

type UpdatePlan = {
  readonly kind: Kind;
  readonly who: Name;
  readonly target: Target;
  readonly body: BodyPlan;
  readonly envelope: Envelope;
  readonly ifMatch: Condition | undefined;
};

const update = commandOf('update', async (model, real, plan: UpdatePlan) => {
  const { kind } = plan;
  const person = real.people[plan.who];
  const { path, found } = targeted(model, person.account, kind, plan.target);
  const sent = enveloped(plan.envelope, bodyText(plan.body, model, person.account, real.pictures));
  const condition = isThing(found) && plan.ifMatch ? tagsFor(found, plan.ifMatch) : undefined;
  const headers = { ...sent.headers, ...(condition === undefined ? {} : { 'If-Match': condition.value }) };
  const request: Request = { person, method: 'PUT', path, headers, body: sent.body };
  const answer = await send(request);
  const refused = refusal(person, 'write');
  if (refused || !isThing(found)) return expectResponse(request, answer, refused ?? (found as Expected));
  if (sent.problem) return expectResponse(request, answer, sent.problem);
  const judgement = judge(kind, false, sent.json, worldOf(model, person.account, real.pictures));
  if (judgement.asked === undefined) return expectResponse(request, answer, { status: 400, body: judgement.faults });
  if (condition && !condition.current) return expectResponse(request, answer, detailed(412));
  expectResponse(request, answer, { status: 200 });
  if (edit(found, judgement.asked)) recordUrl(real, found, answer);
  expectResponse(request, answer, { status: 200, text: textOf(found) });
  recordTag(found, found.revision, answer);
});

type RemovePlan = { readonly kind: Kind; readonly who: Name; readonly target: Target; readonly ifMatch: Condition | undefined };

const remove = commandOf('remove', async (model, real, plan: RemovePlan) => {
  const { kind } = plan;
  const person = real.people[plan.who];
  const { path, found } = targeted(model, person.account, kind, plan.target);
  const condition = isThing(found) && plan.ifMatch ? tagsFor(found, plan.ifMatch) : undefined;
  const headers = condition === undefined ? {} : { 'If-Match': condition.value };
  const request: Request = { person, method: 'DELETE', path, headers };
  const answer = await send(request);
  const refused = refusal(person, 'write');
  const isKnown = refused?.status !== 401;
  if (kind === 'categories' && isKnown) return expectResponse(request, answer, notAllowed('DELETE'));
  if (refused || !isThing(found)) return expectResponse(request, answer, refused ?? (found as Expected));
  if (condition && !condition.current) return expectResponse(request, answer, detailed(412));
  expectResponse(request, answer, { status: 204, text: '' });
  found.present = false;
  found.revision += 1;
});

const notAllowed = (method: string): Expected => ({ status: 405, body: { detail: `Method "${method}" not allowed.` } });

type ReadPlan = {
  readonly kind: Kind;
  readonly who: Name;
  readonly target: Target;
  readonly method: 'GET' | 'HEAD';
  readonly ifNoneMatch: Condition | undefined;
};

const read = commandOf('read', async (model, real, plan: ReadPlan) => {
  const person = real.people[plan.who];
  const { path, found } = targeted(model, person.account, plan.kind, plan.target);
  const condition = isThing(found) && plan.ifNoneMatch ? tagsFor(found, plan.ifNoneMatch) : undefined;
  const headers = condition === undefined ? {} : { 'If-None-Match': condition.value };
  const request: Request = { person, method: plan.method, path, headers };
  const answer = await send(request);
  const refused = refusal(person, 'read') ?? (isThing(found) ? undefined : found);
  if (refused) return expectResponse(request, answer, plan.method === 'HEAD' ? { status: refused.status, text: '' } : refused);
  const thing = found as Thing;
  recordTag(thing, thing.revision, answer);
  if (condition?.current || condition?.weak) return expectResponse(request, answer, { status: 304, text: '' });
  expectResponse(request, answer, { status: 200, text: plan.method === 'HEAD' ? '' : textOf(thing) });
});

const oddCalls: readonly { readonly method: string; readonly path: string; readonly expected: Expected }[] = [
  { method: 'PATCH', path: '/pinpoints/1', expected: notAllowed('PATCH') },
  { method: 'POST', path: '/events/1', expected: notAllowed('POST') },
  { method: 'PUT', path: '/lists', expected: notAllowed('PUT') },
  { method: 'GET', path: '/lists/1/pinpoints', expected: notAllowed('GET') },
  { method: 'DELETE', path: '/categories', expected: notAllowed('DELETE') },
  { method: 'GET', path: '/pinpoint', expected: notFound },
  { method: 'GET', path: '/events/1/2', expected: notFound },
  { method: 'GET', path: '/Pinpoints', expected: notFound },
  { method: 'POST', path: '/%', expected: notFound },
  { method: 'GET', path: '/pinpoints?cursor=AAAA', expected: { status: 404, body: { detail: 'Invalid page.' } } },
  { method: 'GET', path: '/pinpoints?list=x', expected: { status: 400, body: { list: ['Enter a whole number.'] } } },
  { method: 'GET', path: '/events?pinpoint=1.5', expected: { status: 400, body: { pinpoint: ['Enter a whole number.'] } } },
];

type OddPlan = { readonly nth: number; readonly who: Name };

const oddCall = commandOf('oddCall', async (_model, real, { nth, who }: OddPlan) => {
  const { method, path, expected } = oddCalls[nth % oddCalls.length] ?? { method: 'GET', path: '/', expected: notFound };
  const person = real.people[who];
  const request: Request = { person, method, path };
  const answer = await send(request);
  const refused = refusal(person, method === 'GET' ? 'read' : 'write');
  const isScopeAsked = expected.status === 400 || path.includes('cursor');
  expectResponse(request, answer, refused?.status === 401 || (refused && isScopeAsked) ? (refused ?? forbidden) : expected);
});

const ofAnyKind = <Plan>(planOf: (kind: Kind) => fc.Arbitrary<Plan>, among: readonly Kind[] = kinds): fc.Arbitrary<Plan> =>
  fc.constantFrom(...among).chain(planOf);

const common = (kind: Kind) => ({ kind: fc.constant(kind), who: anybody, target: targetOf(kind) });

export const objectCommands: Readonly<Record<'update' | 'remove' | 'read' | 'oddCall', fc.Arbitrary<ModelCommand>>> = {
  update: ofAnyKind((kind) =>
    fc.record({ ...common(kind), body: bodyPlan(kind, false), envelope: anyEnvelope, ifMatch: anyCondition }),
  ).map(update),
  remove: ofAnyKind((kind) => fc.record({ ...common(kind), ifMatch: anyCondition })).map(remove),
  read: ofAnyKind((kind) =>
    fc.record({ ...common(kind), method: fc.constantFrom('GET' as const, 'GET' as const, 'HEAD' as const), ifNoneMatch: anyCondition }),
  ).map(read),
  oddCall: fc.record({ nth: fc.nat(oddCalls.length - 1), who: anybody }).map(oddCall),
};
