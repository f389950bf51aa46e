import { NewerEvent } from '@waymark/domain/event-types.ts';
import { recorded, sampleEvents } from '@waymark/domain/testing/samples.ts';
import fc from 'fast-check';
import type { ApplicationDocument } from '../read-models.ts';
import { happeningText } from '../representations/happening.ts';
import { erasures } from '../testing/erasures.ts';
import { added, happeningCreated, happeningMoved, listDeleted, mine, pinpointDeleted, removed, theirs } from '../testing/facts.ts';
import { histories } from '../testing/histories.ts';
import { interleavings } from '../testing/interleavings.ts';
import { memoryStore, projectOn } from '../testing/memory.ts';
import { recorder } from '../testing/recorder.ts';
import { createChangeBuffer } from './buffer.ts';
import type { Lookup, PinpointState, ProjectedDocument } from './change.ts';
import { lookupsFor } from './needs.ts';
import { factOf, project } from './projection.ts';

const stored: ProjectedDocument = {
  id: 1,
  account: mine,
  revision: 0,
  shown: true,
  present: true,
  text: happeningText(1, sampleEvents.HappeningCreated.fields),
  file: null,
  pinpoint: 12,
};
const nothing: Lookup = {
  document: () => undefined,
  place: () => undefined,
  application: () => undefined,
  members: () => new Set(),
  isMember: () => false,
};
const changesOf = (event: Parameters<ReturnType<typeof recorder>['record']>[1], lookup: Partial<Lookup> = {}) => {
  const fact = factOf(recorder().record(mine, event));
  return fact && project(fact, { ...nothing, ...lookup });
};
const places = (known: Record<number, PinpointState>): Pick<Lookup, 'place'> => ({ place: (id) => known[id] });

describe('the projection', () => {
  it('ignores housekeeping events, even of an unknown type', () => {
    expect(factOf(recorder().housekeeping())).toBeUndefined();
  });

  it('stops at an event that is newer than it knows', () => {
    expect(() => factOf(recorded('PinpointCreated', 2, '{}'))).toThrow(NewerEvent);
    expect(() => factOf(recorded('PinpointDreamt', 1, null))).toThrow(NewerEvent);
  });

  it('looks up nothing for a created object', () => {
    for (const type of ['PinpointCreated', 'ListCreated', 'CategoryCreated', 'ApplicationRegistered'] as const) {
      const fact = factOf(recorder().record(mine, sampleEvents[type]));
      expect(fact && lookupsFor(fact)).toEqual({ documents: [], places: [], applications: [], members: [], memberships: [] });
    }
  });

  it('looks up only documents that the events name, in any history', () => {
    fc.assert(
      fc.property(histories({ maxLength: 120 }), ({ events }) => {
        const store = memoryStore();
        for (const event of events) projectOn(store, event);
      }),
    );
  });

  it.each([
    ['', histories],
    [', of events that refer to pinpoints which are created later', interleavings],
  ])('has the same result with a buffer that holds the changes of a batch%s', (_, logs) => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
    fc.assert(
      fc.property(logs({ maxLength: 120 }), sizes, ({ events }, turns) => {
        const [plain, behind] = [memoryStore(), memoryStore()];
        const held = createChangeBuffer(behind);
        let next = turns[0] ?? 1;
        for (const [index, event] of events.entries()) {
          projectOn(plain, event);
          projectOn(held, event);
          if (index !== next) continue;
          held.flush();
          next += turns[index % turns.length] ?? 1;
        }
        held.flush();
        expect(behind.dump()).toEqual(plain.dump());
      }),
    );
  });

  it('has the same result after an erasure, wherever it first meets erased events', () => {
    fc.assert(
      fc.property(erasures({ minLength: 10, maxLength: 120 }), fc.nat({ max: 300 }), ({ written, left }, from) => {
        const [before, after, later] = [memoryStore(), memoryStore(), memoryStore()];
        for (const event of written) projectOn(before, event);
        for (const event of left) projectOn(after, event);
        for (const event of [...written.slice(0, from), ...left.slice(from)]) projectOn(later, event);
        expect(after.dump()).toEqual(before.dump());
        expect(later.dump()).toEqual(before.dump());
      }),
      { numRuns: 1_000 },
    );
  });

  it('hides memberships and happenings of a pinpoint in the step that deletes it', () => {
    const changes = changesOf(pinpointDeleted(1), { document: () => stored });
    expect(changes).toEqual([
      {
        type: 'put',
        kind: 'pinpoint',
        before: stored,
        document: { ...stored, shown: false, present: false, text: '', file: null },
      },
      { type: 'pinpoint-shown', pinpoint: 1, shown: false },
    ]);
  });

  it('changes only the list when a list is deleted', () => {
    expect(changesOf(listDeleted(1), { document: () => stored })).toHaveLength(1);
  });

  it('shows a member only if its pinpoint is present and of the same account', () => {
    const known = places({
      1: { account: mine, present: true },
      2: { account: mine, present: false },
      3: { account: theirs, present: true },
    });
    const members = [1, 2, 3, 4].map((pinpoint) => ({ pinpoint, shown: pinpoint === 1 }));
    expect(changesOf(added(7, 1, 2, 3, 4), known)).toContainEqual({ type: 'members-added', list: 7, members });
  });

  it('counts only memberships that begin or end: after an erasure, an event may repeat what others have restated', () => {
    const counted = { type: 'counted', pinpoints: [2], happenings: 0 };
    const isMember = (_: number, pinpoint: number): boolean => pinpoint === 1;
    expect(changesOf(added(7, 1, 2), { isMember })).toContainEqual({ ...counted, lists: 1 });
    expect(changesOf(removed(7, 1, 3), { isMember })).toContainEqual({ ...counted, pinpoints: [1], lists: -1 });
  });

  it.each([
    ['at a present pinpoint', { account: mine, present: true }, true],
    ['at a deleted pinpoint', { account: mine, present: false }, false],
    ['at a pinpoint of another account', { account: theirs, present: true }, false],
    ['at an unknown pinpoint', undefined, false],
  ])('creates a happening %s, shown or hidden', (_, place, shown) => {
    const [put, count] = changesOf(happeningCreated(1, 12), { place: () => place }) ?? [];
    expect(put).toMatchObject({ type: 'put', document: { shown, present: true, pinpoint: 12 } });
    expect(count).toEqual({ type: 'counted', pinpoints: [12], lists: 0, happenings: 1 });
  });

  it('counts a happening that moves from one pinpoint to another', () => {
    const lookup = { document: () => stored, ...places({ 5: { account: mine, present: true } }) };
    expect(changesOf(happeningMoved(1, 5), lookup)?.slice(1)).toEqual([
      { type: 'counted', pinpoints: [12], lists: 0, happenings: -1 },
      { type: 'counted', pinpoints: [5], lists: 0, happenings: 1 },
    ]);
  });

  it('changes only the revision of a deleted or unknown object', () => {
    const gone = { ...stored, present: false, shown: false, text: '' };
    const edit = { type: 'HappeningEdited', happening: 1, fields: { pinpoint: 5 } } as const;
    for (const document of [gone, undefined]) {
      for (const event of [edit, { type: 'HappeningDeleted', happening: 1 } as const]) {
        expect(changesOf(event, { document: () => document })).toEqual([{ type: 'moved', kind: 'happening', id: 1, revision: 0 }]);
      }
    }
  });

  it('writes an application as the domain computes it', () => {
    const { type: _, secret, application: id, ...registered } = sampleEvents.ApplicationRegistered;
    const document: ApplicationDocument = { id, ...registered, revision: 4, status: 'suspended', suspended: 4, secrets: [secret] };
    const changes = changesOf(sampleEvents.ApplicationResumed, { application: () => document });
    expect(changes).toEqual([{ type: 'application-put', document: { ...document, revision: 0, status: 'active' } }]);
    const [again] = changesOf(sampleEvents.ApplicationSuspended, { application: () => ({ ...document, status: 'active' }) }) ?? [];
    expect(again).toEqual({ type: 'application-put', document: { ...document, revision: 0, suspended: 0 } });
    expect(changesOf(sampleEvents.ApplicationResumed)).toEqual([]);
    expect(changesOf(sampleEvents.AccountOpened)).toEqual([]);
  });
});
