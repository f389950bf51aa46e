import type { Answer, Call } from '@waymark/http/call.ts';
import { forbidden, type HttpError, invalidFields, notFound, unavailable } from '@waymark/http/errors.ts';
import type { ChangeResult } from '../execution/execute.ts';
import type { Commands } from '../service.ts';

/** Returns a response with the current state of an object. */
export const objectAnswer = async <State, Event>(
  commands: Commands,
  call: Call,
  status: 200 | 201,
  done: ChangeResult<State, Event>,
  text: string,
): Promise<Answer> => {
  const headers = await lagHeaders(commands, call, done.position);
  const tag = done.revision === 'none' ? {} : { ETag: commands.tags(done.revision) };
  return { status, body: commands.complete(text), headers: { ...headers, ...tag } };
};

/** Returns a success without a body. */
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
