import type { DomainEvent } from '@waymark/domain/event.ts';
import type { Access } from '@waymark/http/access.ts';
import type { Answer, Handler } from '@waymark/http/call.ts';
import { conflict, type HttpError } from '@waymark/http/errors.ts';
import { readJson } from '@waymark/http/request/body.ts';
import type { BodyKind } from '@waymark/http/request/request-body.ts';
import type { Aggregate } from '../execution/aggregates.ts';
import { type ChangeResult, findEarlierCreate } from '../execution/execute.ts';
import { catchUp, type LoadedState, load } from '../execution/load.ts';
import { noClaim } from '../idempotency/idempotency.ts';
import type { Commands } from '../service.ts';
import { emptyAnswer, objectAnswer } from './answers.ts';
import type { Upload } from './uploads.ts';

/** The request in a body: its fields, and its file: none given (undefined), to be removed (null), or a new one. */
export type ResourceRequest<Fields> = {
  readonly fields: Partial<Fields>;
  readonly upload: Upload | null | undefined;
  /** True if sanitising changed the submitted text. */
  readonly sanitized: boolean;
};

/** An object of the caller's account. */
export type Target = { readonly commands: Commands; readonly account: string; readonly id: number };

/** The definition of one kind of object for its routes. */
export type Resource<State, Command, Event extends DomainEvent, Refusal extends string, Fields> = {
  readonly aggregate: Aggregate<State, Command, Event, Refusal>;
  /** The path of all objects of the kind, below `/v3.0`. */
  readonly path: string;
  readonly body: BodyKind;
  /** Parses a body.
   * @throws HttpError 400, 413 */
  readonly parse: (commands: Commands, access: Access, body: unknown, creating: boolean) => Promise<ResourceRequest<Fields>>;
  readonly creating: (target: Target, asked: ResourceRequest<Fields>) => Promise<Command>;
  readonly editing: (target: Target, asked: ResourceRequest<Fields>, state: State) => Promise<Command>;
  readonly problemOf: (refusal: Refusal, asked: ResourceRequest<Fields> | undefined) => HttpError;
  readonly textOf: (id: number, state: State) => string;
};

/** A kind of object that can be deleted. */
export type Deletable<State, Command, Event extends DomainEvent, Refusal extends string, Fields> = Resource<
  State,
  Command,
  Event,
  Refusal,
  Fields
> & { readonly deleting: (target: Target, state: State) => Promise<Command> };

/** POST: answers 201 with the new object. */
export const create =
  <State, Command, Event extends DomainEvent, Refusal extends string, Fields>(
    commands: Commands,
    resource: Resource<State, Command, Event, Refusal, Fields>,
  ): Handler =>
  async (call) => {
    const { aggregate, path } = resource;
    const loaded: LoadedState<State> = { state: aggregate.decider.initial, revision: 'none', position: 0 };
    const answer = async (id: number, done: ChangeResult<State, Event>): Promise<Answer> => {
      const created = done.fact === undefined ? await asItIs(commands, resource, id) : done;
      return objectAnswer(commands, call, 201, created, resource.textOf(id, created.state));
    };
    const body = await readJson(call, resource.body);
    return commands.once({ call, path, body, mayBeNoOp: false }, async (claim) => {
      const earlier = await findEarlierCreate(commands.log, aggregate, claim);
      if (earlier) return answer(earlier.id, earlier);
      const asked = await resource.parse(commands, call.access, body.json, true);
      const id = claim.key?.object ?? (await commands.ids.next(aggregate.kind));
      const target = { commands, account: call.access.account, id };
      const done = await commands.execute({
        aggregate,
        id,
        call,
        claim,
        isNew: true,
        sanitized: asked.sanitized,
        prepare: async () => ({ loaded, command: await resource.creating(target, asked) }),
        problemOf: (refusal) => resource.problemOf(refusal, asked),
      });
      return answer(id, done);
    });
  };

/** Returns the created object in its current state, because its first state was erased.
 * @throws HttpError 409 if the object was deleted and then erased */
const asItIs = async <State, Command, Event extends DomainEvent, Refusal extends string, Fields>(
  { log }: Commands,
  { aggregate, textOf }: Resource<State, Command, Event, Refusal, Fields>,
  id: number,
): Promise<ChangeResult<State, Event>> => {
  const now = await catchUp(log, aggregate, id, { state: aggregate.decider.initial, revision: 'none', position: 0 });
  if (textOf(id, now.state) === '') throw conflict('What this request has created was deleted since, and erased.');
  return { ...now, fact: undefined };
};

/** PUT: answers 200 with the whole updated object. */
export const edit =
  <State, Command, Event extends DomainEvent, Refusal extends string, Fields>(
    commands: Commands,
    resource: Resource<State, Command, Event, Refusal, Fields>,
  ): Handler =>
  async (call) => {
    const { aggregate } = resource;
    const { id, document } = await commands.owned(aggregate.kind, call);
    const body = await readJson(call, resource.body);
    const asked = await resource.parse(commands, call.access, body.json, false);
    const target = { commands, account: call.access.account, id };
    const done = await commands.execute({
      aggregate,
      id,
      call,
      claim: noClaim(),
      sanitized: asked.sanitized,
      prepare: async (fresh) => {
        const loaded = await load(commands, aggregate, id, fresh ? undefined : document);
        return { loaded, command: await resource.editing(target, asked, loaded.state) };
      },
      problemOf: (refusal) => resource.problemOf(refusal, asked),
    });
    return objectAnswer(commands, call, 200, done, resource.textOf(id, done.state));
  };

/** DELETE: answers 204. */
export const remove =
  <State, Command, Event extends DomainEvent, Refusal extends string, Fields>(
    commands: Commands,
    resource: Deletable<State, Command, Event, Refusal, Fields>,
  ): Handler =>
  async (call) => {
    const { aggregate } = resource;
    const { id, document } = await commands.owned(aggregate.kind, call);
    const target = { commands, account: call.access.account, id };
    const done = await commands.execute({
      aggregate,
      id,
      call,
      claim: noClaim(),
      sanitized: false,
      prepare: async (fresh) => {
        const loaded = await load(commands, aggregate, id, fresh ? undefined : document);
        return { loaded, command: await resource.deleting(target, loaded.state) };
      },
      problemOf: (refusal) => resource.problemOf(refusal, undefined),
    });
    return emptyAnswer(commands, call, done.position);
  };
