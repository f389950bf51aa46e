import type { Happening } from '@waymark/domain/happening/decide.ts';
import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import { parseHappening } from '@waymark/http/api/schemas/happening.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { fileBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { happenings } from '../execution/aggregates.ts';
import type { Execute } from '../execution/change-request.ts';
import { findEarlierCreate } from '../execution/common-result.ts';
import { createExecute } from '../execution/execute.ts';
import type { Commands } from '../service.ts';
import { createdAnswer, emptyAnswer, invalidReference, problems, updatedAnswer } from './answers.ts';
import { orDefault, unique, withoutUndefined } from './fields.ts';
import { fileOf } from './uploads.ts';

type Happenings = Commands & { readonly execute: Execute<Happening> };

/** POST, PUT and DELETE of the API's events. */
export const happeningRoutes = (commands: Commands): Routes => {
  const own: Happenings = { ...commands, execute: createExecute(commands, happenings) };
  return {
    'POST /events': (call) => create(own, call),
    'PUT /events/:id': (call) => edit(own, call),
    'DELETE /events/:id': (call) => remove(own, call),
  };
};

const create = async (commands: Happenings, call: Call): Promise<Answer> => {
  const { account } = call.access;
  const body = await readJson(call, fileBody);
  return commands.once({ call, path: '/v3.0/events', body, mayBeNoOp: false }, async (claim) => {
    const earlier = await findEarlierCreate(commands.log, happenings, claim);
    if (earlier) return createdAnswer(commands, call, happenings, earlier.id, earlier);
    const { fields, upload, sanitized } = await parse(commands, call, body.json);
    const id = await commands.newId('happening', claim);
    const done = await commands.execute({
      id,
      call,
      claim,
      found: 'new',
      sanitized,
      command: async () => ({
        type: 'CreateHappening',
        account,
        happening: id,
        fields: { ...defaults, ...fields, ...withoutUndefined({ media: await fileOf(undefined, upload) }) } as HappeningFields,
        place: await commands.lookups.placeAt(account, fields.pinpoint ?? 0),
      }),
      problemOf: (refusal) => problems[refusal](fields.pinpoint),
    });
    return createdAnswer(commands, call, happenings, id, done);
  });
};

const edit = async (commands: Happenings, call: Call): Promise<Answer> => {
  const { account } = call.access;
  const { id, document } = await commands.owned('happening', call);
  const body = await readJson(call, fileBody);
  const { fields, upload, sanitized } = await parse(commands, call, body.json);
  const done = await commands.execute({
    id,
    call,
    claim: commands.noClaim(call),
    found: document,
    sanitized,
    command: async (happening) => ({
      type: 'EditHappening',
      account,
      happening: id,
      fields: { ...fields, ...withoutUndefined({ media: await fileOf(mediaOf(happening), upload) }) },
      pinpointExists: await hasPinpoint(commands, happening),
      place: await commands.lookups.placeAt(account, fields.pinpoint ?? 0),
    }),
    problemOf: (refusal) => problems[refusal](fields.pinpoint),
  });
  return updatedAnswer(commands, call, happenings, id, done);
};

const remove = async (commands: Happenings, call: Call): Promise<Answer> => {
  const { account } = call.access;
  const { id, document } = await commands.owned('happening', call);
  const { position } = await commands.execute({
    id,
    call,
    claim: commands.noClaim(call),
    found: document,
    sanitized: false,
    command: async (happening) => ({
      type: 'DeleteHappening',
      account,
      happening: id,
      pinpointExists: await hasPinpoint(commands, happening),
    }),
    problemOf: (refusal) => problems[refusal](undefined),
  });
  return emptyAnswer(commands, call, position);
};

const defaults = { description: '', mediaCredits: '', media: null, tags: [] };

/** Parses a body. In the fields, null stands for the default.
 * @throws HttpError 400, 413 */
const parse = async ({ described, accept, lookups }: Commands, { access }: Call, json: unknown) => {
  const parsed = parseHappening(json);
  const { pinpoint } = parsed.valid;
  const text = await described(parsed.valid.description);
  const file = await accept(access.account, 'media_file', json, parsed.errors);
  const isUnknown = pinpoint !== undefined && (await lookups.placeAt(access.account, pinpoint)) === 'unknown';
  const body = requireValid(parsed, text.errors, file.errors, isUnknown ? { pinpoint: [invalidReference(pinpoint)] } : {});
  const fields: Partial<HappeningFields> = withoutUndefined({
    name: body.name,
    pinpoint: body.pinpoint,
    dates: body.dates.map(({ start, end }) => ({ start, end })),
    description: text.description,
    mediaCredits: orDefault(body.media_credits, defaults.mediaCredits),
    tags: unique(body.tags),
  });
  return { fields, upload: file.upload, sanitized: text.changed };
};

const mediaOf = (happening: Happening['state']) => (happening.status === 'present' ? happening.fields.media : null);

/** Whether the pinpoint of a happening exists. */
const hasPinpoint = async ({ lookups }: Commands, happening: Happening['state']): Promise<boolean> =>
  happening.status === 'present' && lookups.pinpointExists(happening.fields.pinpoint);
