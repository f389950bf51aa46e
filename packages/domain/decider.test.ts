import fc from 'fast-check';
import { accountDecider } from './account/decide.ts';
import { applicationDecider } from './application/decide.ts';
import { categoryDecider } from './category/decide.ts';
import { changesetDecider } from './changeset/decide.ts';
import type { AggregateTypes, Decider } from './decider.ts';
import type { DomainEvent } from './event.ts';
import { decode, encode, eventVersions } from './event-types.ts';
import { happeningDecider } from './happening/decide.ts';
import { listDecider } from './list/decide.ts';
import { pinpointDecider } from './pinpoint/decide.ts';
import { anyCharacter } from './testing/characters.ts';
import { recorded, sampleFile } from './testing/samples.ts';

// Few values each, so that commands concern objects that already exist.
const account = fc.constantFrom('mine', 'other');
const name = fc.oneof(fc.constantFrom('a', 'b'), fc.string({ unit: anyCharacter }));
const number = fc.oneof(fc.constantFrom(0, -0, 1), fc.double({ min: -90, max: 90, noNaN: true }));
const file = fc.constantFrom(sampleFile, { ...sampleFile, name: `${'a'.repeat(32)}.png` }, { ...sampleFile, digest: 'a'.repeat(64) });
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 6 });
const text = { description: name, mediaCredits: name, media: fc.option(file), tags: fc.array(name, { maxLength: 2 }) };
const range = fc.constant({ start: '2026-06-01T08:00:00.000Z', end: '2026-06-01T08:00:00.000Z' });

const some = { requiredKeys: [] };
const ofPinpoint = {
  name,
  address: name,
  latitude: number,
  longitude: number,
  altitude: fc.option(number),
  category: fc.option(fc.integer({ min: 1, max: 2 })),
  ...text,
};
const ofHappening = { name, pinpoint: fc.integer({ min: 1, max: 2 }), dates: fc.array(range, { maxLength: 2 }), ...text };
const ofList = { name, description: name };
const ofCategory = { name, image: file };
const secret = fc.record({ id: fc.constantFrom('s1', 's2', 's3'), hash: fc.constantFrom('h1', 'h2') });

const is = fc.constant;
const pinpoint = { account, pinpoint: is(12) };
const list = { account, list: is(7) };
const category = { account, category: is(4) };
const happening = { account, happening: is(31), pinpointExists: fc.boolean() };
const application = { application: is('app-1') };
const place = fc.constantFrom('present' as const, 'unknown' as const, 'full' as const);
const notAdded = fc.array(fc.record({ pinpoint: fc.nat(9), reason: fc.constantFrom('not_found' as const, 'limit' as const) }));
const scopes = fc.subarray(['write' as const, 'read' as const, 'audit' as const]);

const pinpointCommand = fc.oneof(
  fc.record({ type: is('CreatePinpoint' as const), ...pinpoint, fields: fc.record(ofPinpoint), categoryExists: fc.boolean() }),
  fc.record({ type: is('EditPinpoint' as const), ...pinpoint, fields: fc.record(ofPinpoint, some), categoryExists: fc.boolean() }),
  fc.record({ type: is('DeletePinpoint' as const), ...pinpoint }),
);

const listCommand = fc.oneof(
  fc.record({ type: is('CreateList' as const), ...list, fields: fc.record(ofList) }),
  fc.record({ type: is('EditList' as const), ...list, fields: fc.record(ofList, some) }),
  fc.record({ type: is('AddPinpoints' as const), ...list, pinpoints: ids, notAdded }),
  fc.record({ type: is('RemovePinpoints' as const), ...list, pinpoints: ids }),
  fc.record({ type: is('DeleteList' as const), ...list }),
);

const categoryCommand = fc.oneof(
  fc.record({ type: is('CreateCategory' as const), ...category, fields: fc.record(ofCategory) }),
  fc.record({ type: is('EditCategory' as const), ...category, fields: fc.record(ofCategory, some) }),
);

const happeningCommand = fc.oneof(
  fc.record({ type: is('CreateHappening' as const), ...happening, fields: fc.record(ofHappening), place }),
  fc.record({ type: is('EditHappening' as const), ...happening, fields: fc.record(ofHappening, some), place }),
  fc.record({ type: is('DeleteHappening' as const), ...happening }),
);

const applicationCommand = fc.oneof(
  fc.record({ type: is('RegisterApplication' as const), account, ...application, name, scopes, secret }),
  fc.record({ type: is('AddSecret' as const), ...application, secret }),
  fc.record({ type: is('DropSecret' as const), ...application, secretId: fc.constantFrom('s1', 's2', 's3') }),
  fc.record({ type: is('SuspendApplication' as const), ...application }),
  fc.record({ type: is('ResumeApplication' as const), ...application }),
  fc.record({ type: is('DeleteApplication' as const), ...application }),
);

const accountCommand = fc.record({ type: is('OpenAccount' as const), account: is('c1'), name });

const changesetCommand = fc.record({
  type: is('OpenChangeset' as const),
  account,
  changeset: is('0190b7f2-6a51-7cc0-9d9e-0d3b5f9a6c12'),
  comment: name,
  by: name,
});

const viaLog = <Event extends DomainEvent>(event: Event): Event =>
  decode(recorded(event.type, eventVersions[event.type], encode(event))) as Event;

/** Returns a state as text, to check that it was not changed. */
const written = (state: unknown): string => JSON.stringify(state, (_, value) => (value instanceof Set ? [...value] : value));

const decidersHold = <Of extends AggregateTypes>(decider: Decider<Of>, command: fc.Arbitrary<Of['command']>) => {
  const { initial, decide, evolve } = decider;

  /** Executes the commands one after the other, and returns every intermediate state and every event. */
  const live = (commands: readonly Of['command'][]) => {
    const states = [{ state: initial, text: written(initial) }];
    const events: Of['event'][] = [];
    let state = initial;
    for (const each of commands) {
      const decision = decide(state, each);
      if (decision.outcome === 'refused') continue;
      events.push(...decision.events);
      state = decision.events.reduce(evolve, state);
      states.push({ state, text: written(state) });
    }
    return { state, states, events };
  };

  const commands = fc.array(command, { maxLength: 30 });

  it('decides the same on a state read from the log as on the original state', () => {
    fc.assert(
      fc.property(commands, command, (before, next) => {
        const { state, events } = live(before);
        expect(decide(events.map(viaLog).reduce(evolve, initial), next)).toEqual(decide(state, next));
      }),
    );
  });

  it('records at most one event per command, and only an event that changes the state', () => {
    fc.assert(
      fc.property(commands, command, (before, next) => {
        const { state } = live(before);
        const decision = decide(state, next);
        if (decision.outcome === 'refused') return;
        expect(decision.events.length).toBeLessThan(2);
        for (const event of decision.events) expect(written(evolve(state, event))).not.toBe(written(state));
      }),
    );
  });

  it('does not change the states that are passed to it', () => {
    fc.assert(
      fc.property(commands, (orders) => {
        const { states } = live(orders);
        for (const order of orders) for (const { state } of states) decide(state, order);
        expect(states.map(({ state }) => written(state))).toEqual(states.map(({ text }) => text));
      }),
    );
  });

  it('applies its events in any order and number without throwing', () => {
    fc.assert(
      fc.property(commands, fc.infiniteStream(fc.nat()), (orders, picks) => {
        const { events } = live(orders);
        const shuffled = events.flatMap(() => events.slice(picks.next().value % events.length).slice(0, 1));
        expect(() => shuffled.reduce(evolve, initial)).not.toThrow();
      }),
    );
  });
};

describe('a pinpoint', () => decidersHold(pinpointDecider, pinpointCommand));
describe('a list', () => decidersHold(listDecider, listCommand));
describe('a category', () => decidersHold(categoryDecider, categoryCommand));
describe('a happening', () => decidersHold(happeningDecider, happeningCommand));
describe('an application', () => decidersHold(applicationDecider, applicationCommand));
describe('an account', () => decidersHold(accountDecider, accountCommand));
describe('a changeset', () => decidersHold(changesetDecider, changesetCommand));
