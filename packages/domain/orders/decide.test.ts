import { given } from '../testing/given.ts';
import { sampleEvents } from '../testing/samples.ts';
import { type OrderCommand, orderReasons } from './commands.ts';
import { ordersDecider } from './decide.ts';
import type { OrderEvent } from './events.ts';

const { ErasureOrdered: erasureOrdered, HoldPlaced: placed, HoldReleased: released } = sampleEvents;
const { type: _, ...sample } = placed;
const order = { ...sample, reason: 'erasure-request' } as const;
const command = (type: OrderCommand['type']): OrderCommand => ({ type, ...order });
const [orderErasure, placeHold, releaseHold] = [command('OrderErasure'), command('PlaceHold'), command('ReleaseHold')];

const objectWith = (...orders: readonly OrderEvent[]) => given(ordersDecider, orders);

describe('an order to erase an object', () => {
  it('is recorded each time it is given', () => {
    objectWith().when(orderErasure).then(erasureOrdered);
    objectWith(erasureOrdered).when(orderErasure).then(erasureOrdered);
  });

  it('is recorded without a person, a reason and a case if none is given', () => {
    const bare = { by: null, reason: null, case: null };
    objectWith()
      .when({ ...orderErasure, ...bare })
      .then({ ...erasureOrdered, ...bare });
  });

  it('is refused while the object is on hold', () => {
    objectWith(placed).when(orderErasure).refuses('on-hold');
    objectWith(erasureOrdered, placed).when(orderErasure).refuses('on-hold');
    objectWith(placed, released).when(orderErasure).then(erasureOrdered);
  });
});

describe('a hold', () => {
  it('is placed, released, and can be placed again', () => {
    objectWith().when(placeHold).then(placed);
    objectWith(placed).when(releaseHold).then(released);
    objectWith(placed, released).when(placeHold).then(placed);
  });

  it('can be placed after an order to erase the object', () => {
    objectWith(erasureOrdered).when(placeHold).then(placed);
  });

  it('is refused if the object is on hold already', () => {
    objectWith(placed).when(placeHold).refuses('on-hold');
  });

  it('cannot be released if the object is not on hold', () => {
    objectWith().when(releaseHold).refuses('not-on-hold');
    objectWith(placed, released).when(releaseHold).refuses('not-on-hold');
  });
});

it('The reasons are codes that every release can read', () => {
  for (const reason of orderReasons) expect(reason).toMatch(/^[a-z_-]{1,64}$/);
});
