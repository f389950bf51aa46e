import type { ChangesetCommand } from '@waymark/domain/changeset/commands.ts';
import { changesetDecider } from '@waymark/domain/changeset/decide.ts';
import { changesetStream } from '@waymark/domain/streams.ts';
import { appendOnce, appendShared } from '@waymark/event-log/append-once.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import { parseChangeset } from '@waymark/http/api/schemas/changeset.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import { requireValid } from '@waymark/http/request/validation.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { Commands } from '../service.ts';
import { lagHeaders, problems } from './answers.ts';

/** POST of changesets. No request changes a changeset. */
export const changesetRoutes = (commands: Commands): Routes => ({
  'POST /audit/v1/changesets': (call) => open(commands, call),
});

const open = async (commands: Commands, call: Call): Promise<Answer> => {
  const body = await readJson(call, plainBody);
  return commands.once({ call, path: '/audit/v1/changesets', body, mayBeNoOp: false }, async (claim) => {
    const { comment, by } = requireValid(parseChangeset(body.json));
    // A claim keeps the id of the event for a repeat, and has no room for another UUID.
    const id = claim.event;
    const { account } = call.access;
    const position = await append(commands.log, claim, { type: 'OpenChangeset', account, changeset: id, comment, by: by ?? '' });
    const headers = await lagHeaders(commands, call, position);
    return { status: 201, body: JSON.stringify({ id }), headers: { ...headers, 'Cache-Control': 'no-store' } };
  });
};

/** The number in claims of changesets, which have no number. */
const unnumbered = 0;

/** Appends the event of a changeset, once for all runs of its request.
 * @returns the position that readers must have reached to see the changeset */
const append = async (log: EventLog, claim: Claim, order: ChangesetCommand): Promise<Position> => {
  const stream = changesetStream(order.changeset);
  const decision = changesetDecider.decide(changesetDecider.initial, order);
  if (decision.outcome === 'refused') throw problems[decision.refusal]();
  await claim.key?.take(unnumbered, 'none');
  const events = decision.events.map((fact) => sealFact(fact, { id: claim.event, account: order.account, origin: claim.origin }));
  const appended = await (claim.key ? appendShared : appendOnce)(log, stream, events, 'none');
  if (appended.outcome !== 'conflict') return appended.position;
  // Only runs of this request know the id: one of them has opened the changeset, and its content was erased since.
  const { event } = await readEnd(log, stream);
  return event?.position ?? 0;
};
