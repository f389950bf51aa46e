import type { CategoryCommand, CategoryRefusal } from '@waymark/domain/category/commands.ts';
import type { CategoryEvent, CategoryFields } from '@waymark/domain/category/events.ts';
import type { CategoryState } from '@waymark/domain/category/state.ts';
import { parseCategory, parseNewCategory } from '@waymark/http/api/schemas/category.ts';
import type { Routes } from '@waymark/http/call.ts';
import { fileBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { categoryText } from '@waymark/read-models/representations/category.ts';
import { categories } from '../execution/aggregates.ts';
import type { Commands } from '../service.ts';
import { problems } from './answers.ts';
import { withoutUndefined } from './fields.ts';
import { create, edit, type Resource } from './resource.ts';
import { fileOf } from './uploads.ts';

/** POST and PUT of categories. Categories are never deleted. */
export const categoryRoutes = (commands: Commands): Routes => ({
  'POST /categories': create(commands, resource),
  'PUT /categories/:id': edit(commands, resource),
});

const resource: Resource<CategoryState, CategoryCommand, CategoryEvent, CategoryRefusal, CategoryFields> = {
  aggregate: categories,
  path: '/categories',
  body: fileBody,
  parse: async (commands, _access, body, creating) => {
    const parsed = creating ? parseNewCategory(body) : parseCategory(body);
    const file = await commands.accept('image_file', parsed.valid.image_file);
    const { name } = requireValid(parsed, file.errors);
    return { fields: { name }, upload: file.upload, sanitized: false };
  },
  creating: async ({ account, id }, { fields, upload }) => ({
    type: 'CreateCategory',
    account,
    category: id,
    fields: withoutUndefined({ ...fields, image: await fileOf(undefined, upload) }) as CategoryFields,
  }),
  editing: async ({ account, id }, { fields, upload }, state) => {
    const current = state.status === 'present' ? state.fields.image : undefined;
    const image = (await fileOf(current, upload)) ?? undefined;
    return { type: 'EditCategory', account, category: id, fields: withoutUndefined({ ...fields, image }) };
  },
  problemOf: (refusal) => problems[refusal](),
  textOf: (id, state) => (state.status === 'present' ? categoryText(id, state.fields) : ''),
};
