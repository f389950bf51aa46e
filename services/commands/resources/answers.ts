import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { Answer, Call } from '@waymark/http/call.ts';
import { conflict, forbidden, type HttpError, invalidFields, notFound, unavailable } from '@waymark/http/errors.ts';
import type { Aggregate } from '../execution/aggregates.ts';
import type { ChangeResult } from '../execution/change-request.ts';
import { catchUp, startOf } from '../execution/load.ts';
import type { Commands } from '../service.ts';

/** Returns 201 with a new object. If its first state was erased, returns it in its current state.
 * @throws HttpError 409 if it was deleted and then erased */
export const createdAnswer = async <Of extends AggregateTypes>(
  commands: Commands,
  call: Call,
  aggregate: Aggregate<Of>,
  id: number,
  done: ChangeResult<Of>,
): Promise<Answer> => {
  if (done.fact !== undefined) return objectAnswer(commands, call, 201, aggregate.textOf(id, done.state), done);
  const now = await catchUp(commands.log, aggregate, id, startOf(aggregate));
  const text = aggregate.textOf(id, now.state);
  if (text === '') throw conflict('What this request has created was deleted since, and erased.');
  return objectAnswer(commands, call, 201, text, now);
};

/** Returns 200 with the whole updated object. */
export const updatedAnswer = <Of extends AggregateTypes>(
  commands: Commands,
  call: Call,
  aggregate: Aggregate<Of>,
  id: number,
  done: ChangeResult<Of>,
): Promise<Answer> => objectAnswer(commands, call, 200, aggregate.textOf(id, done.state), done);

type Placed = Pick<ChangeResult<AggregateTypes>, 'revision' | 'position'>;

const objectAnswer = async (
  commands: Commands,
  call: Call,
  status: 200 | 201,
  text: string,
  { revision, position }: Placed,
): Promise<Answer> => {
  const headers = await lagHeaders(commands, call, position);
  const tag = revision === 'none' ? {} : { ETag: commands.tags(revision) };
  return { status, body: commands.complete(text), headers: { ...headers, ...tag } };
};

/** Returns 204. */
export const emptyAnswer = async (commands: Commands, call: Call, position: number): Promise<Answer> => ({
  status: 204,
  headers: await lagHeaders(commands, call, position),
});

/** Waits until a change is visible to all readers. If the read models do not reach it in time, the 2xx response has the header
 * `X-Read-Lag`. */
export const lagHeaders = async (commands: Commands, call: Call, position: number): Promise<Record<string, string>> =>
  (await commands.visible(call.access.account, position)) ? {} : { 'X-Read-Lag': 'true' };

/** The error that a client gets for each refusal. `reference`: the id that the client named. */
export const problems = {
  'not-found': notFound,
  forbidden,
  'id-taken': () => unavailable('The id was taken meanwhile.'),
  'unknown-category': (reference: unknown) => invalidFields({ category: [invalidReference(reference)] }),
  'unknown-pinpoint': (reference: unknown) => invalidFields({ pinpoint: [invalidReference(reference)] }),
  'too-many-happenings': () => invalidFields({ non_field_errors: ['This pinpoint has as many events as it may have.'] }),
} satisfies Record<string, (reference: unknown) => HttpError>;

export const invalidReference = (reference: unknown): string => `Invalid pk "${String(reference)}" - object does not exist.`;
