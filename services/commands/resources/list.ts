import { parseList } from '@waymark/http/api/schemas/list.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { lists } from '../execution/aggregates.ts';
import { findEarlierCreate } from '../execution/common-result.ts';
import { createExecute } from '../execution/execute.ts';
import type { Commands } from '../service.ts';
import { createdAnswer, emptyAnswer, problems, updatedAnswer } from './answers.ts';
import { withoutUndefined } from './fields.ts';
import { addPinpoints, type Lists, removePinpoints } from './members.ts';

/** POST, PUT and DELETE of lists and of their members. */
export const listRoutes = (commands: Commands): Routes => {
  const own: Lists = { ...commands, execute: createExecute(commands, lists) };
  return {
    'POST /lists': (call) => create(own, call),
    'PUT /lists/:id': (call) => edit(own, call),
    'DELETE /lists/:id': (call) => remove(own, call),
    'POST /lists/:id/pinpoints': (call) => addPinpoints(own, call),
    'DELETE /lists/:id/pinpoints': (call) => removePinpoints(own, call),
  };
};

const create = async (commands: Lists, call: Call): Promise<Answer> => {
  const body = await readJson(call, plainBody);
  return commands.once({ call, path: '/v3.0/lists', body, mayBeNoOp: false }, async (claim) => {
    const earlier = await findEarlierCreate(commands.log, lists, claim);
    if (earlier) return createdAnswer(commands, call, lists, earlier.id, earlier);
    const { name, description = '', sanitized } = await parse(commands, body.json);
    const id = await commands.newId('list', claim);
    const done = await commands.execute({
      id,
      call,
      claim,
      found: 'new',
      sanitized,
      command: () => ({ type: 'CreateList', account: call.access.account, list: id, fields: { description, name } }),
      problemOf: (refusal) => problems[refusal](),
    });
    return createdAnswer(commands, call, lists, id, done);
  });
};

const edit = async (commands: Lists, call: Call): Promise<Answer> => {
  const { id, document } = await commands.owned('list', call);
  const body = await readJson(call, plainBody);
  const { name, description, sanitized } = await parse(commands, body.json);
  const fields = withoutUndefined({ name, description });
  const done = await commands.execute({
    id,
    call,
    claim: commands.noClaim(call),
    found: document,
    sanitized,
    command: () => ({ type: 'EditList', account: call.access.account, list: id, fields }),
    problemOf: (refusal) => problems[refusal](),
  });
  return updatedAnswer(commands, call, lists, id, done);
};

const remove = async (commands: Lists, call: Call): Promise<Answer> => {
  const { id, document } = await commands.owned('list', call);
  const { position } = await commands.execute({
    id,
    call,
    claim: commands.noClaim(call),
    found: document,
    sanitized: false,
    command: () => ({ type: 'DeleteList', account: call.access.account, list: id }),
    problemOf: (refusal) => problems[refusal](),
  });
  return emptyAnswer(commands, call, position);
};

/** Parses a body.
 * @throws HttpError 400 */
const parse = async ({ described }: Commands, json: unknown) => {
  const parsed = parseList(json);
  const { description, changed: sanitized, errors } = await described(parsed.valid.description);
  const { name } = requireValid(parsed, errors);
  return { name, description, sanitized };
};
