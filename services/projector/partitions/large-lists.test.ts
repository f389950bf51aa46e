import { transactionCharactersMax, transactionEventsMax } from '../limits.ts';
import { modelLog } from '../testing/model-log.ts';
import { createPartitionState, plan } from './partition-state.ts';

const incarnation = 'log';
const added = 500;

describe('a plan for events that add many members to lists', () => {
  it('takes no more than a few thousand members: a transaction of more could be too large', () => {
    const partitionState = createPartitionState(0);
    const log = modelLog();
    for (let nth = 0; nth < 100; nth += 1) log.append(0, 'PinpointsAdded');
    const content = JSON.stringify(Array.from({ length: added }, (_, nth) => 100_000 + nth));
    const records = log.eventsOf(0).map((event, nth) => ({
      partition: 0,
      incarnation,
      previous: nth,
      position: nth + 1,
      eventId: event.envelope.id,
      event: { ...event, content },
    }));
    partitionState.waiting.push({ records, planned: 0, log: undefined, resolve: () => undefined, reject: () => undefined });
    const room = { events: transactionEventsMax, characters: transactionCharactersMax };
    const { taken } = plan(partitionState, { incarnation, position: 0, event: '' }, room);
    expect(taken.length).toBeGreaterThan(1);
    expect(taken.length * added).toBeLessThanOrEqual(5_000);
  });
});
