import type { ListCommand } from '@waymark/domain/list/commands.ts';
import type { ListEvent, NotAdded } from '@waymark/domain/list/events.ts';
import type { ListState } from '@waymark/domain/list/state.ts';
import { type MembershipElement, parseMembership } from '@waymark/http/api/schemas/membership.ts';
import { type Answer, type Call, type Handler, idOf } from '@waymark/http/call.ts';
import { HttpError, toHttpError } from '@waymark/http/errors.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import { lists } from '../execution/aggregates.ts';
import type { ChangeResult } from '../execution/execute.ts';
import { type Claim, noClaim } from '../idempotency/idempotency.ts';
import { lagHeaders, problems } from '../resources/answers.ts';
import type { Commands } from '../service.ts';
import { type KnownMembers, loadMembers } from './members.ts';

/** POST /lists/:id/pinpoints: appends one event for any number of ids. */
export const addPinpoints =
  (commands: Commands): Handler =>
  async (call) => {
    const list = idOf(call);
    // A repeat gets the first response again, even if the list was deleted in the meantime.
    const refusal = await commands.owned('list', call).then(() => undefined, toHttpError);
    if (refusal && call.request.headers['idempotency-key'] === undefined) throw refusal;
    try {
      const body = await readJson(call, plainBody);
      const elements = parseMembership(body.json);
      const path = `/lists/${list}/pinpoints`;
      return await commands.once({ call, path, body, mayBeNoOp: true }, async (claim) => {
        if (refusal && claim.key?.object === undefined) throw refusal;
        let notAdded: readonly NotAdded[] = [];
        const command = (known: KnownMembers, ids: readonly number[]): ListCommand => {
          notAdded = whatCannotBeAdded(known, ids);
          const refused = new Set(notAdded.map(({ pinpoint }) => pinpoint));
          const pinpoints = ids.filter((id) => !refused.has(id));
          return { type: 'AddPinpoints', account: call.access.account, list, pinpoints, notAdded };
        };
        const done = await change(commands, { call, list, elements, claim, command, notAdded: () => notAdded });
        const recorded = done.fact?.type === 'PinpointsAdded' ? done.fact.notAdded : (done.notAdded ?? notAdded);
        return { ...report(elements, recorded), headers: await lagHeaders(commands, call, done.position) };
      });
    } catch (error) {
      // A missing or forbidden list takes precedence over a fault in the body.
      throw refusal && error instanceof HttpError && faulty.has(error.status) ? refusal : error;
    }
  };

const faulty: ReadonlySet<number> = new Set([400, 413, 415]);

/** DELETE /lists/:id/pinpoints: an id that is not a member counts as removed. */
export const removePinpoints =
  (commands: Commands): Handler =>
  async (call) => {
    const { id: list } = await commands.owned('list', call);
    const elements = parseMembership((await readJson(call, plainBody)).json);
    const { account } = call.access;
    const command = (_known: KnownMembers, pinpoints: readonly number[]): ListCommand => ({
      type: 'RemovePinpoints',
      account,
      list,
      pinpoints,
    });
    const done = await change(commands, { call, list, elements, claim: noClaim(), command });
    const headers = await lagHeaders(commands, call, done.position);
    return prefersMinimal(call) ? { status: 204, headers } : { ...report(elements, []), headers };
  };

type Change = {
  readonly call: Call;
  readonly list: number;
  readonly elements: readonly MembershipElement[];
  readonly claim: Claim;
  readonly command: (known: KnownMembers, ids: readonly number[]) => ListCommand;
  readonly notAdded?: () => readonly NotAdded[];
};

const change = (commands: Commands, { elements, list, command, ...order }: Change): Promise<ChangeResult<ListState, ListEvent>> => {
  const ids = distinctIds(elements);
  return commands.execute({
    ...order,
    aggregate: lists,
    id: list,
    sanitized: false,
    prepare: async (fresh) => {
      const { loaded, known } = await loadMembers(commands, list, ids, fresh);
      return { loaded, command: command(known, ids) };
    },
    problemOf: (refusal) => problems[refusal](),
  });
};

const distinctIds = (elements: readonly MembershipElement[]): readonly number[] => [
  ...new Set(elements.flatMap(({ pinpoint }) => (pinpoint === undefined ? [] : [pinpoint]))),
];

/** Returns the ids that cannot be added. A pinpoint that is already a member counts as added, even if it has reached its limit. */
const whatCannotBeAdded = (known: KnownMembers, ids: readonly number[]): readonly NotAdded[] =>
  ids.flatMap((pinpoint): readonly NotAdded[] => {
    if (!known.pinpoints.has(pinpoint)) return [{ pinpoint, reason: 'not_found' }];
    return known.full.has(pinpoint) && !known.members.has(pinpoint) ? [{ pinpoint, reason: 'limit' }] : [];
  });

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
