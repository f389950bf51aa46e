import { accountId } from '@waymark/domain/account/decide.ts';
import type { OrderCommand } from '@waymark/domain/orders/commands.ts';
import { applicationStream, changesetStream, resourceStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { badRequest, notFound } from '@waymark/http/errors.ts';
import type { BodyOf } from './api/calls.ts';

type Named = BodyOf<'POST /operator/hold'>;

/** Returns the command of an operator's order about an object.
 * @param by the person who gives the order
 * @throws HttpError 404 if the account has no such object, 400 if the id does not fit the kind; LogUnavailable */
export const commandFor = async (
  log: Pick<EventLog, 'read'>,
  type: OrderCommand['type'],
  order: Named,
  by: string | null,
): Promise<OrderCommand> => {
  const object = streamOf(order);
  const account = accountId(order.account);
  const [first] = await log.read(object, 0);
  if (first?.envelope.account !== account) throw notFound();
  return { type, account, object, by, reason: order.reason ?? null, case: order.case ?? null };
};

const streamOf = ({ kind, id }: Named): string => {
  if (kind === 'application' || kind === 'changeset') {
    if (typeof id !== 'string') throw badRequest('id: a text is required');
    return kind === 'application' ? applicationStream(id) : changesetStream(id);
  }
  if (typeof id !== 'number') throw badRequest('id: a positive whole number is required');
  // What the API calls an event is a happening in the code.
  return resourceStream(kind === 'event' ? 'happening' : kind, id);
};
