import type { Category } from '@waymark/domain/category/decide.ts';
import type { CategoryFields } from '@waymark/domain/category/events.ts';
import { parseCategory, parseNewCategory } from '@waymark/http/api/schemas/category.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { fileBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { categories } from '../execution/aggregates.ts';
import type { Execute } from '../execution/change-request.ts';
import { findEarlierCreate } from '../execution/common-result.ts';
import { createExecute } from '../execution/execute.ts';
import type { Commands } from '../service.ts';
import { createdAnswer, problems, updatedAnswer } from './answers.ts';
import { withoutUndefined } from './fields.ts';
import { fileOf } from './uploads.ts';

type Categories = Commands & { readonly execute: Execute<Category> };

/** POST and PUT of categories. Categories are never deleted. */
export const categoryRoutes = (commands: Commands): Routes => {
  const own: Categories = { ...commands, execute: createExecute(commands, categories) };
  return {
    'POST /categories': (call) => create(own, call),
    'PUT /categories/:id': (call) => edit(own, call),
  };
};

const create = async (commands: Categories, call: Call): Promise<Answer> => {
  const body = await readJson(call, fileBody);
  return commands.once({ call, path: '/v3.0/categories', body, mayBeNoOp: false }, async (claim) => {
    const earlier = await findEarlierCreate(commands.log, categories, claim);
    if (earlier) return createdAnswer(commands, call, categories, earlier.id, earlier);
    const parsed = parseNewCategory(body.json);
    const file = await commands.accept(call.access.account, 'image_file', body.json, parsed.errors);
    const { name } = requireValid(parsed, file.errors);
    const id = await commands.newId('category', claim);
    const done = await commands.execute({
      id,
      call,
      claim,
      found: 'new',
      sanitized: false,
      command: async () => ({
        type: 'CreateCategory',
        account: call.access.account,
        category: id,
        fields: withoutUndefined({ name, image: await fileOf(undefined, file.upload) }) as CategoryFields,
      }),
      problemOf: (refusal) => problems[refusal](),
    });
    return createdAnswer(commands, call, categories, id, done);
  });
};

const edit = async (commands: Categories, call: Call): Promise<Answer> => {
  const { id, document } = await commands.owned('category', call);
  const body = await readJson(call, fileBody);
  const parsed = parseCategory(body.json);
  const file = await commands.accept(call.access.account, 'image_file', body.json, parsed.errors);
  const { name } = requireValid(parsed, file.errors);
  const done = await commands.execute({
    id,
    call,
    claim: commands.noClaim(call),
    found: document,
    sanitized: false,
    command: async (category) => {
      const current = category.status === 'present' ? category.fields.image : undefined;
      const image = (await fileOf(current, file.upload)) ?? undefined;
      return { type: 'EditCategory', account: call.access.account, category: id, fields: withoutUndefined({ name, image }) };
    },
    problemOf: (refusal) => problems[refusal](),
  });
  return updatedAnswer(commands, call, categories, id, done);
};
