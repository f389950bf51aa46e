import type { ListCommand, ListRefusal } from '@waymark/domain/list/commands.ts';
import type { ListEvent, ListFields } from '@waymark/domain/list/events.ts';
import type { ListState } from '@waymark/domain/list/state.ts';
import { parseList } from '@waymark/http/api/schemas/list.ts';
import type { Routes } from '@waymark/http/call.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { listText } from '@waymark/read-models/representations/list.ts';
import { lists } from '../execution/aggregates.ts';
import { addPinpoints, removePinpoints } from '../membership/membership.ts';
import type { Commands } from '../service.ts';
import { problems } from './answers.ts';
import { withoutUndefined } from './fields.ts';
import { create, type Deletable, edit, remove } from './resource.ts';

/** POST, PUT and DELETE of lists and of their members. */
export const listRoutes = (commands: Commands): Routes => ({
  'POST /lists': create(commands, resource),
  'PUT /lists/:id': edit(commands, resource),
  'DELETE /lists/:id': remove(commands, resource),
  'POST /lists/:id/pinpoints': addPinpoints(commands),
  'DELETE /lists/:id/pinpoints': removePinpoints(commands),
});

const resource: Deletable<ListState, ListCommand, ListEvent, ListRefusal, ListFields> = {
  aggregate: lists,
  path: '/lists',
  body: plainBody,
  parse: async (commands, _access, body) => {
    const parsed = parseList(body);
    const text = await commands.described(parsed.valid.description);
    const { name } = requireValid(parsed, text.errors);
    return { fields: withoutUndefined({ name, description: text.description }), upload: undefined, sanitized: text.changed };
  },
  creating: async ({ account, id }, { fields }) => ({
    type: 'CreateList',
    account,
    list: id,
    fields: { description: '', ...fields } as ListFields,
  }),
  editing: async ({ account, id }, { fields }) => ({ type: 'EditList', account, list: id, fields }),
  deleting: async ({ account, id }) => ({ type: 'DeleteList', account, list: id }),
  problemOf: (refusal) => problems[refusal](),
  textOf: (id, state) => (state.status === 'present' ? listText(id, state.fields) : ''),
};
