import type { OrderEvent } from './events.ts';

/** Whether one object is on hold. */
export type OrdersState = { readonly status: 'free' | 'on-hold' };

export const initial: OrdersState = { status: 'free' };

/** Expects only the orders about that object. */
export const evolve = (state: OrdersState, event: OrderEvent): OrdersState => {
  switch (event.type) {
    case 'ErasureOrdered':
      return state;
    case 'HoldPlaced':
      return { status: 'on-hold' };
    case 'HoldReleased':
      return { status: 'free' };
  }
};
