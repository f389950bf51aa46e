import type { DomainEvent, RecordedEvent } from './event.ts';
import { decode, encode, eventVersions, isContradictory } from './event-types.ts';
import { olderSamples, recorded, sampleEvents, sampleUndoLine } from './testing/samples.ts';

const inLog = (event: DomainEvent, changes: Readonly<Record<string, unknown>> = {}): RecordedEvent => {
  const stored = recorded(event.type, eventVersions[event.type], encode(event));
  return { ...stored, content: JSON.stringify({ ...JSON.parse(stored.content ?? '{}'), ...changes }) };
};

const { PinpointCreated, PinpointsAdded, HappeningCreated, ListRedacted, ApplicationRegistered } = sampleEvents;
const { ListMembersRestated, HoldPlaced, UndoReported } = sampleEvents;
const fields = PinpointCreated.fields;

describe('An event with contradictory content counts as erased:', () => {
  it.each<[what: string, event: RecordedEvent]>([
    ['it names another object than its stream', inLog(PinpointCreated, { pinpoint: 13 })],
    ['it names no object', inLog(PinpointCreated, { pinpoint: undefined })],
    ['it belongs to another aggregate', { ...inLog(PinpointCreated), stream: 'list-12' }],
    ['it names another account than its envelope', inLog(PinpointCreated, { account: 'another' })],
    ['a field is missing', inLog(PinpointCreated, { fields: { ...fields, name: undefined } })],
    ['a field has another type', inLog(PinpointCreated, { fields: { ...fields, tags: 'a' } })],
    ['a number is not a number', inLog(PinpointCreated, { fields: { ...fields, latitude: '55' } })],
    ['a place is outside the valid coordinates', inLog(PinpointCreated, { fields: { ...fields, longitude: 181 } })],
    [
      'its file has a path as its name',
      inLog(PinpointCreated, { fields: { ...fields, media: { ...fields.media, name: '../../keys.json' } } }),
    ],
    [
      'a text is longer than any release wrote',
      inLog(PinpointCreated, { fields: { ...fields, description: 'x'.repeat(8 * 1024 * 1024 + 1) } }),
    ],
    ['an id is larger than any valid id', inLog(PinpointsAdded, { pinpoints: [2 ** 53] })],
    ['a member is not an id', inLog(PinpointsAdded, { pinpoints: ['7'] })],
    [
      'a date is not an instant',
      inLog(HappeningCreated, { fields: { ...HappeningCreated.fields, dates: [{ start: 'now', end: 'then' }] } }),
    ],
    ['a summary is not a summary', inLog(ListRedacted, { summary: {} })],
    ['a scope is unknown', inLog(ApplicationRegistered, { scopes: ['root'] })],
    ['a restated member is outside its range', inLog(ListMembersRestated, { members: [100] })],
    ['restated members are not in order', inLog(ListMembersRestated, { members: [13, 12] })],
    ['a list states its members in two ways', inLog(ListRedacted, { members: [12] })],
    ['the orders are those of another account', { ...inLog(HoldPlaced), stream: 'orders-another' }],
    ['an order names no object', inLog(HoldPlaced, { object: 'token-1' })],
    ['an order names a person', inLog(HoldPlaced, { by: 'someone@example.org' })],
    ['a line of an undo has an unknown outcome', inLog(UndoReported, { lines: [{ ...sampleUndoLine, outcome: 'lost' }] })],
    ['it is not an object', { ...inLog(PinpointCreated), content: '[]' }],
    ['it is not JSON', { ...inLog(PinpointCreated), content: '{' }],
  ])('%s', (_, event) => {
    expect(decode(event)).toBeUndefined();
    expect(isContradictory(event)).toBe(true);
  });

  it('a type in the content is ignored', () => {
    expect(decode(inLog(PinpointCreated, { type: 'PinpointDeleted' }))).toEqual(PinpointCreated);
  });

  it('every sample event, and one whose content was erased, is not contradictory', () => {
    for (const event of Object.values(sampleEvents)) expect(isContradictory(inLog(event))).toBe(false);
    for (const { version, event } of olderSamples) expect(isContradictory(recorded(event.type, version, encode(event)))).toBe(false);
    expect(isContradictory(recorded('PinpointCreated', 1, null))).toBe(false);
  });
});
