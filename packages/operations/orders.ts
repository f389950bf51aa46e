import { decode } from '@waymark/domain/event-types.ts';
import type { OrderCommand, OrderRefusal } from '@waymark/domain/orders/commands.ts';
import { ordersDecider } from '@waymark/domain/orders/decide.ts';
import { ordersStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { operators, sealFact } from '@waymark/event-log/seal.ts';
import { conflict, unavailable } from '@waymark/http/errors.ts';

/** How often an order is decided again because another order of the account is appended meanwhile. */
const attemptsMax = 20;

/** Records an operator's order about an object. It is appended right after the orders that it was decided on. So an erasure is not ordered
 * once a hold is acknowledged.
 * @throws HttpError 409 if it is refused; LogUnavailable, AppendUndecided, NewerEvent */
export const giveOrder = async (log: EventLog, command: OrderCommand): Promise<void> => {
  const { account, object } = command;
  const stream = ordersStream(account);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const { state, revision } = await readOrders(log, account, object);
    const decision = ordersDecider.decide(state, command);
    if (decision.outcome === 'refused') {
      const [last] = await log.lastRevisions([stream]);
      if (last !== revision) continue;
      throw conflict(refusals[decision.refusal](object));
    }
    const events = decision.events.map((fact) => sealFact(fact, { account, origin: operators }));
    const appended = await appendOnce(log, stream, events, revision);
    if (appended.outcome !== 'conflict') return;
  }
  throw unavailable('Too many orders about objects of this account at once.');
};

/** Reads all orders of the account, because they share a stream. A person gives each of them, so they are few: 100,000 orders would be 500
 * reads of 200 events. The memory does not grow with their number. */
const readOrders = async (log: EventLog, account: string, object: string) => {
  let state = ordersDecider.initial;
  let revision: Revision = 'none';
  for await (const event of readEvents(log.read, ordersStream(account))) {
    const fact = decode(event);
    if (fact !== undefined && 'object' in fact && fact.object === object) state = ordersDecider.evolve(state, fact);
    revision = event.revision;
  }
  return { state, revision };
};

const refusals: Readonly<Record<OrderRefusal, (object: string) => string>> = {
  'on-hold': (object) => `${object} is on hold.`,
  'not-on-hold': (object) => `${object} is not on hold.`,
};
