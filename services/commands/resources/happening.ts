import type { HappeningCommand, HappeningRefusal } from '@waymark/domain/happening/commands.ts';
import type { HappeningEvent, HappeningFields } from '@waymark/domain/happening/events.ts';
import type { HappeningState } from '@waymark/domain/happening/state.ts';
import { type HappeningBody, parseHappening } from '@waymark/http/api/schemas/happening.ts';
import type { Routes } from '@waymark/http/call.ts';
import type { FieldErrors } from '@waymark/http/errors.ts';
import { fileBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { happeningText } from '@waymark/read-models/representations/happening.ts';
import { happenings } from '../execution/aggregates.ts';
import type { Commands } from '../service.ts';
import { invalidReference, problems } from './answers.ts';
import { orDefault, unique, withoutUndefined } from './fields.ts';
import { create, type Deletable, edit, remove } from './resource.ts';
import { fileOf } from './uploads.ts';

/** POST, PUT and DELETE of the API's events. */
export const happeningRoutes = (commands: Commands): Routes => ({
  'POST /events': create(commands, resource),
  'PUT /events/:id': edit(commands, resource),
  'DELETE /events/:id': remove(commands, resource),
});

const defaults = { description: '', mediaCredits: '', media: null, tags: [] };

const resource: Deletable<HappeningState, HappeningCommand, HappeningEvent, HappeningRefusal, HappeningFields> = {
  aggregate: happenings,
  path: '/events',
  body: fileBody,
  parse: async (commands, { account }, body) => {
    const parsed = parseHappening(body);
    const text = await commands.described(parsed.valid.description);
    const file = await commands.accept('media_file', parsed.valid.media_file);
    const pinpoint = await pinpointErrors(commands, account, parsed.valid.pinpoint);
    const asked = requireValid(parsed, text.errors, file.errors, pinpoint);
    return { fields: fieldsOf(asked, text.description), upload: file.upload, sanitized: text.changed };
  },
  creating: async ({ commands, account, id }, { fields, upload }) => ({
    type: 'CreateHappening',
    account,
    happening: id,
    fields: { ...defaults, ...withoutUndefined({ ...fields, media: await fileOf(undefined, upload) }) } as HappeningFields,
    place: await commands.lookups.placeAt(account, fields.pinpoint ?? 0),
  }),
  editing: async ({ commands, account, id }, { fields, upload }, state) => {
    const current = state.status === 'present' ? state.fields.media : null;
    return {
      type: 'EditHappening',
      account,
      happening: id,
      fields: withoutUndefined({ ...fields, media: await fileOf(current, upload) }),
      pinpointExists: await reached(commands, state),
      place: await commands.lookups.placeAt(account, fields.pinpoint ?? 0),
    };
  },
  deleting: async ({ commands, account, id }, state) => ({
    type: 'DeleteHappening',
    account,
    happening: id,
    pinpointExists: await reached(commands, state),
  }),
  problemOf: (refusal, asked) => problems[refusal](asked?.fields.pinpoint),
  textOf: (id, state) => (state.status === 'present' ? happeningText(id, state.fields) : ''),
};

/** Returns the fields of a body; null stands for the default. */
const fieldsOf = (body: HappeningBody, description: string | undefined): Partial<HappeningFields> =>
  withoutUndefined({
    name: body.name,
    pinpoint: body.pinpoint,
    dates: body.dates.map(({ start, end }) => ({ start, end })),
    description,
    mediaCredits: orDefault(body.media_credits, defaults.mediaCredits),
    tags: unique(body.tags),
  });

const pinpointErrors = async (commands: Commands, account: string, pinpoint: number | undefined): Promise<FieldErrors> => {
  const unknown = pinpoint !== undefined && (await commands.lookups.placeAt(account, pinpoint)) === 'unknown';
  return unknown ? { pinpoint: [invalidReference(pinpoint)] } : {};
};

/** Whether the pinpoint of the happening exists. */
const reached = async (commands: Commands, state: HappeningState): Promise<boolean> =>
  state.status === 'present' && commands.lookups.pinpointExists(state.fields.pinpoint);
