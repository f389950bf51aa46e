import { type Decider, type Decision, happened, refused } from '../decider.ts';
import type { OrderCommand, OrderRefusal } from './commands.ts';
import type { OrderEvent } from './events.ts';
import { evolve, initial, type OrdersState } from './state.ts';

/** A second hold is refused, because one release ends a hold, whatever its case. A repeated order to erase is recorded again. */
export const decide = ({ status }: OrdersState, { type, ...order }: OrderCommand): Decision<OrderEvent, OrderRefusal> => {
  switch (type) {
    case 'OrderErasure':
      return status === 'on-hold' ? refused('on-hold') : happened({ type: 'ErasureOrdered', ...order });
    case 'PlaceHold':
      return status === 'on-hold' ? refused('on-hold') : happened({ type: 'HoldPlaced', ...order });
    case 'ReleaseHold':
      return status === 'free' ? refused('not-on-hold') : happened({ type: 'HoldReleased', ...order });
  }
};

/** The types of the aggregate: the orders about one object. The orders about all objects of an account share a stream. */
export type Orders = {
  readonly state: OrdersState;
  readonly command: OrderCommand;
  readonly event: OrderEvent;
  readonly refusal: OrderRefusal;
};

export const ordersDecider: Decider<Orders> = {
  initial,
  evolve,
  decide,
};
