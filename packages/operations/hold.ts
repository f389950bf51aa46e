import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { Hold } from './api/answers.ts';
import type { BodyOf } from './api/calls.ts';
import { commandFor } from './named-object.ts';
import { giveOrder } from './orders.ts';

type HoldOrder = { readonly order: BodyOf<'POST /operator/hold'>; readonly by: string | null };

/** Puts an object on hold, or releases it: an object on hold cannot be erased.
 * @throws HttpError 404 if the account has no such object, 409 if it is on hold already, or not on hold; LogUnavailable, AppendUndecided */
export const setHold = async (log: EventLog, onHold: boolean, { order, by }: HoldOrder): Promise<Hold> => {
  const command = await commandFor(log, onHold ? 'PlaceHold' : 'ReleaseHold', order, by);
  await giveOrder(log, command);
  return { stream: command.object, onHold };
};
