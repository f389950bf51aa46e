import type { PinpointCommand, PinpointRefusal } from '@waymark/domain/pinpoint/commands.ts';
import type { PinpointEvent, PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import type { PinpointState } from '@waymark/domain/pinpoint/state.ts';
import { type PinpointBody, parsePinpoint } from '@waymark/http/api/schemas/pinpoint.ts';
import type { Routes } from '@waymark/http/call.ts';
import type { FieldErrors } from '@waymark/http/errors.ts';
import { fileBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { pinpointText } from '@waymark/read-models/representations/pinpoint.ts';
import { pinpoints } from '../execution/aggregates.ts';
import type { Commands } from '../service.ts';
import { invalidReference, problems } from './answers.ts';
import { orDefault, unique, withoutUndefined } from './fields.ts';
import { create, type Deletable, edit, remove, type Target } from './resource.ts';
import { fileOf } from './uploads.ts';

/** POST, PUT and DELETE of pinpoints. */
export const pinpointRoutes = (commands: Commands): Routes => ({
  'POST /pinpoints': create(commands, resource),
  'PUT /pinpoints/:id': edit(commands, resource),
  'DELETE /pinpoints/:id': remove(commands, resource),
});

const defaults = {
  address: '',
  altitude: null,
  category: null,
  description: '',
  mediaCredits: '',
  media: null,
  tags: [],
};

const resource: Deletable<PinpointState, PinpointCommand, PinpointEvent, PinpointRefusal, PinpointFields> = {
  aggregate: pinpoints,
  path: '/pinpoints',
  body: fileBody,
  parse: async (commands, { account }, body) => {
    const parsed = parsePinpoint(body);
    const text = await commands.described(parsed.valid.description);
    const file = await commands.accept('media_file', parsed.valid.media_file);
    const category = await categoryErrors(commands, account, parsed.valid.category);
    const asked = requireValid(parsed, text.errors, file.errors, category);
    return { fields: fieldsOf(asked, text.description), upload: file.upload, sanitized: text.changed };
  },
  creating: async (target, { fields, upload }) => ({
    type: 'CreatePinpoint',
    account: target.account,
    pinpoint: target.id,
    fields: { ...defaults, ...withoutUndefined({ ...fields, media: await fileOf(undefined, upload) }) } as PinpointFields,
    categoryExists: await categoryExists(target, fields.category),
  }),
  editing: async (target, { fields, upload }, state) => {
    const current = state.status === 'present' ? state.fields.media : null;
    return {
      type: 'EditPinpoint',
      account: target.account,
      pinpoint: target.id,
      fields: withoutUndefined({ ...fields, media: await fileOf(current, upload) }),
      categoryExists: await categoryExists(target, fields.category),
    };
  },
  deleting: async ({ account, id }) => ({ type: 'DeletePinpoint', account, pinpoint: id }),
  problemOf: (refusal, asked) => problems[refusal](asked?.fields.category),
  textOf: (id, state) => (state.status === 'present' ? pinpointText(id, state.fields) : ''),
};

/** Returns the fields of a body; null stands for the default. */
const fieldsOf = (body: PinpointBody, description: string | undefined): Partial<PinpointFields> =>
  withoutUndefined({
    name: body.name,
    address: orDefault(body.address, defaults.address),
    latitude: body.latitude,
    longitude: body.longitude,
    altitude: body.altitude,
    category: body.category,
    description,
    mediaCredits: orDefault(body.media_credits, defaults.mediaCredits),
    tags: unique(body.tags),
  });

const categoryErrors = async (commands: Commands, account: string, category: number | null | undefined): Promise<FieldErrors> => {
  const known = category === undefined || category === null || (await commands.lookups.hasCategory(account, category));
  return known ? {} : { category: [invalidReference(category)] };
};

const categoryExists = async ({ commands, account }: Target, category: number | null | undefined): Promise<boolean> =>
  category === undefined || category === null || commands.lookups.hasCategory(account, category);
