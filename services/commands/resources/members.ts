import type { List } from '@waymark/domain/list/decide.ts';
import type { NotAdded } from '@waymark/domain/list/events.ts';
import type { ListState } from '@waymark/domain/list/state.ts';
import { type MembershipElement, parseMembership } from '@waymark/http/api/schemas/membership.ts';
import { type Answer, type Call, idOf } from '@waymark/http/call.ts';
import { HttpError, toHttpError } from '@waymark/http/errors.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import type { Execute } from '../execution/change-request.ts';
import type { KnownPinpoints } from '../execution/members.ts';
import type { Commands, Owned } from '../service.ts';
import { lagHeaders, problems } from './answers.ts';

export type Lists = Commands & { readonly execute: Execute<List> };

/** POST /lists/:id/pinpoints: appends one event for any number of ids. */
export const addPinpoints = async (commands: Lists, call: Call): Promise<Answer> => {
  const list = idOf(call);
  // A repeat gets the first response again, even if the list was deleted in the meantime.
  const { refusal, document } = await findList(commands, call);
  if (refusal && call.request.headers['idempotency-key'] === undefined) throw refusal;
  try {
    const body = await readJson(call, plainBody);
    const elements = parseMembership(body.json);
    const members = distinctIds(elements);
    return await commands.once({ call, path: `/v3.0/lists/${list}/pinpoints`, body, mayBeNoOp: true }, async (claim) => {
      if (refusal && claim.key?.object === undefined) throw refusal;
      const done = await commands.execute({
        id: list,
        call,
        claim,
        found: document,
        members,
        sanitized: false,
        command: (state, known) => ({ type: 'AddPinpoints', account: call.access.account, list, ...divide(members, state, known) }),
        problemOf: (problem) => problems[problem](),
        notAdded: (command) => (command.type === 'AddPinpoints' ? command.notAdded : []),
      });
      return { ...report(elements, done.notAdded ?? []), headers: await lagHeaders(commands, call, done.position) };
    });
  } catch (error) {
    // A missing or forbidden list takes precedence over a fault in the body.
    throw refusal && error instanceof HttpError && faulty.has(error.status) ? refusal : error;
  }
};

const faulty: ReadonlySet<number> = new Set([400, 413, 415]);

type FoundList = { readonly refusal?: HttpError; readonly document?: Owned['document'] };

const findList = (commands: Lists, call: Call): Promise<FoundList> =>
  commands.owned('list', call).then(
    ({ document }) => ({ document }),
    (error) => ({ refusal: toHttpError(error) }),
  );

/** DELETE /lists/:id/pinpoints: an id that is not a member counts as removed. */
export const removePinpoints = async (commands: Lists, call: Call): Promise<Answer> => {
  const { id: list, document } = await commands.owned('list', call);
  const elements = parseMembership((await readJson(call, plainBody)).json);
  const pinpoints = distinctIds(elements);
  const { position } = await commands.execute({
    id: list,
    call,
    claim: commands.noClaim(call),
    found: document,
    members: pinpoints,
    sanitized: false,
    command: () => ({ type: 'RemovePinpoints', account: call.access.account, list, pinpoints }),
    problemOf: (problem) => problems[problem](),
  });
  const headers = await lagHeaders(commands, call, position);
  return prefersMinimal(call) ? { status: 204, headers } : { ...report(elements, []), headers };
};

const distinctIds = (elements: readonly MembershipElement[]): readonly number[] => [
  ...new Set(elements.flatMap(({ pinpoint }) => (pinpoint === undefined ? [] : [pinpoint]))),
];

/** Divides ids into those that can be added and those that cannot. A pinpoint that is already a member counts as added, even if it has
 * reached its limit. */
const divide = (ids: readonly number[], state: ListState, { pinpoints: existing, full }: KnownPinpoints) => {
  const members = state.status === 'present' ? state.members : noMembers;
  const pinpoints: number[] = [];
  const notAdded: NotAdded[] = [];
  for (const pinpoint of ids) {
    if (!existing.has(pinpoint)) notAdded.push({ pinpoint, reason: 'not_found' });
    else if (full.has(pinpoint) && !members.has(pinpoint)) notAdded.push({ pinpoint, reason: 'limit' });
    else pinpoints.push(pinpoint);
  }
  return { pinpoints, notAdded };
};

const noMembers: ReadonlySet<number> = new Set();

const details = {
  invalid: 'A positive integer id is required.',
  not_found: 'Not found.',
  limit: 'This pinpoint is in as many lists as it may be.',
} as const;

/** Reports the faults in the order of the request, each refused id once, and the number of ids that are now in the requested state. */
const report = (elements: readonly MembershipElement[], notAdded: readonly NotAdded[]): Answer => {
  const reasons = new Map(notAdded.map(({ pinpoint, reason }) => [pinpoint, reason]));
  const errors: object[] = [];
  const total = distinctIds(elements).length - reasons.size;
  for (const { sent, pinpoint } of elements) {
    const code = pinpoint === undefined ? 'invalid' : reasons.get(pinpoint);
    if (code === undefined) continue;
    if (pinpoint !== undefined) reasons.delete(pinpoint);
    errors.push({ id: sent, code, detail: details[code] });
  }
  return { status: 200, body: JSON.stringify({ errors, total }) };
};

const prefersMinimal = ({ request }: Call): boolean =>
  /(^|[,;\s])return\s*=\s*"?minimal"?($|[,;\s])/i.test([request.headers['prefer'] ?? ''].flat().join(','));
