import type { Pinpoint } from '@waymark/domain/pinpoint/decide.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import { parsePinpoint } from '@waymark/http/api/schemas/pinpoint.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { fileBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import { pinpoints } from '../execution/aggregates.ts';
import type { Execute } from '../execution/change-request.ts';
import { findEarlierCreate } from '../execution/common-result.ts';
import { createExecute } from '../execution/execute.ts';
import type { Commands } from '../service.ts';
import { createdAnswer, emptyAnswer, invalidReference, problems, updatedAnswer } from './answers.ts';
import { orDefault, unique, withoutUndefined } from './fields.ts';
import { fileOf } from './uploads.ts';

type Pinpoints = Commands & { readonly execute: Execute<Pinpoint> };

/** POST, PUT and DELETE of pinpoints. */
export const pinpointRoutes = (commands: Commands): Routes => {
  const own: Pinpoints = { ...commands, execute: createExecute(commands, pinpoints) };
  return {
    'POST /pinpoints': (call) => create(own, call),
    'PUT /pinpoints/:id': (call) => edit(own, call),
    'DELETE /pinpoints/:id': (call) => remove(own, call),
  };
};

const create = async (commands: Pinpoints, call: Call): Promise<Answer> => {
  const body = await readJson(call, fileBody);
  return commands.once({ call, path: '/v3.0/pinpoints', body, mayBeNoOp: false }, async (claim) => {
    const earlier = await findEarlierCreate(commands.log, pinpoints, claim);
    if (earlier) return createdAnswer(commands, call, pinpoints, earlier.id, earlier);
    const { fields, upload, sanitized, categoryExists } = await parse(commands, call, body.json);
    const id = await commands.newId('pinpoint', claim);
    const done = await commands.execute({
      id,
      call,
      claim,
      found: 'new',
      sanitized,
      command: async () => ({
        type: 'CreatePinpoint',
        account: call.access.account,
        pinpoint: id,
        fields: { ...defaults, ...fields, ...withoutUndefined({ media: await fileOf(undefined, upload) }) } as PinpointFields,
        categoryExists,
      }),
      problemOf: (refusal) => problems[refusal](fields.category),
    });
    return createdAnswer(commands, call, pinpoints, id, done);
  });
};

const edit = async (commands: Pinpoints, call: Call): Promise<Answer> => {
  const { id, document } = await commands.owned('pinpoint', call);
  const body = await readJson(call, fileBody);
  const { fields, upload, sanitized, categoryExists } = await parse(commands, call, body.json);
  const done = await commands.execute({
    id,
    call,
    claim: commands.noClaim(call),
    found: document,
    sanitized,
    command: async (pinpoint) => ({
      type: 'EditPinpoint',
      account: call.access.account,
      pinpoint: id,
      fields: { ...fields, ...withoutUndefined({ media: await fileOf(mediaOf(pinpoint), upload) }) },
      categoryExists,
    }),
    problemOf: (refusal) => problems[refusal](fields.category),
  });
  return updatedAnswer(commands, call, pinpoints, id, done);
};

const remove = async (commands: Pinpoints, call: Call): Promise<Answer> => {
  const { id, document } = await commands.owned('pinpoint', call);
  const { account } = call.access;
  const claim = commands.noClaim(call);
  const { position } = await commands.inTurn(account, document, () =>
    commands.execute({
      ...{ id, call, claim, found: document, sanitized: false },
      command: () => ({ type: 'DeletePinpoint', account, pinpoint: id }),
      problemOf: (refusal) => problems[refusal](undefined),
    }),
  );
  return emptyAnswer(commands, call, position);
};

const defaults = {
  address: '',
  altitude: null,
  category: null,
  description: '',
  mediaCredits: '',
  media: null,
  tags: [],
};

/** Parses a body. In the fields, null stands for the default.
 * @throws HttpError 400, 413 */
const parse = async ({ described, accept, lookups }: Commands, { access }: Call, json: unknown) => {
  const parsed = parsePinpoint(json);
  const text = await described(parsed.valid.description);
  const file = await accept(access.account, 'media_file', json, parsed.errors);
  const category = parsed.valid.category ?? null;
  const categoryExists = category === null || (await lookups.hasCategory(access.account, category));
  const body = requireValid(parsed, text.errors, file.errors, categoryExists ? {} : { category: [invalidReference(category)] });
  const fields: Partial<PinpointFields> = withoutUndefined({
    name: body.name,
    address: orDefault(body.address, defaults.address),
    latitude: body.latitude,
    longitude: body.longitude,
    altitude: body.altitude,
    category: body.category,
    description: text.description,
    mediaCredits: orDefault(body.media_credits, defaults.mediaCredits),
    tags: unique(body.tags),
  });
  return { fields, upload: file.upload, sanitized: text.changed, categoryExists };
};

const mediaOf = (pinpoint: Pinpoint['state']) => (pinpoint.status === 'present' ? pinpoint.fields.media : null);
