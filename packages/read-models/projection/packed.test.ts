import { NewerEvent } from '@waymark/domain/event-types.ts';
import { recorded, sampleEvents } from '@waymark/domain/testing/samples.ts';
import fc from 'fast-check';
import { erasures } from '../testing/erasures.ts';
import { mine } from '../testing/facts.ts';
import { interleavings } from '../testing/interleavings.ts';
import { memoryStore, projectOn } from '../testing/memory.ts';
import { recorder } from '../testing/recorder.ts';
import { packEvents, projectPacked } from './packed.ts';

const logs = fc.oneof(
  interleavings({ maxLength: 120 }).map(({ events }) => events),
  erasures({ minLength: 10, maxLength: 120 }).map(({ left }) => left),
);

describe('packed events', () => {
  it('have the same result as the events, in packs of any size, after they were passed to another thread', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 60 }), (events, size) => {
        const [plain, packed] = [memoryStore(), memoryStore()];
        for (const event of events) projectOn(plain, event);
        for (let from = 0; from < events.length; from += size) {
          projectPacked(packed)(structuredClone(packEvents(events.slice(from, from + size))));
        }
        expect(packed.dump()).toEqual(plain.dump());
      }),
      { numRuns: 300 },
    );
  });

  it('have the same result for each type of event', () => {
    const { record } = recorder();
    for (const event of Object.values(sampleEvents).map((sample) => record(mine, sample))) {
      const [plain, packed] = [memoryStore(), memoryStore()];
      projectOn(plain, event);
      projectPacked(packed)(packEvents([event]));
      expect(packed.dump()).toEqual(plain.dump());
    }
  });

  it('count the events that change no document', () => {
    const { record, housekeeping } = recorder();
    expect(packEvents([housekeeping(), record(mine, sampleEvents.AccountOpened), housekeeping()]).events).toBe(3);
    expect(packEvents([housekeeping()])).toEqual({ events: 1, texts: '', numbers: [] });
  });

  it('are not made of an event that is newer than it knows', () => {
    expect(() => packEvents([recorded('PinpointCreated', 2, '{}')])).toThrow(NewerEvent);
  });
});
