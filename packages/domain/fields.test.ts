import { changes, isEmpty } from './fields.ts';
import type { PinpointFields } from './pinpoint/events.ts';
import { sampleEvents, sampleFile } from './testing/samples.ts';

const { fields } = sampleEvents.PinpointCreated;
const bare: PinpointFields = { ...fields, altitude: null, media: null };

describe('changes', () => {
  it('are the fields whose values differ, with the values asked for', () => {
    expect(changes(fields, { name: 'Mole light', altitude: 4, address: fields.address })).toEqual({
      name: 'Mole light',
      altitude: 4,
    });
  });

  it('are none where every value is as it was', () => {
    expect(changes(fields, structuredClone(fields))).toEqual({});
  });

  it('leave out what is not asked for, be it absent or undefined', () => {
    const asked: object = { name: undefined };
    expect(changes(fields, {})).toEqual({});
    expect(changes(fields, asked)).toEqual({});
  });

  it('tell null from a value, either way', () => {
    expect(changes(fields, { altitude: null, category: null })).toEqual({ altitude: null, category: null });
    expect(changes(bare, { altitude: 0 })).toEqual({ altitude: 0 });
    expect(changes(bare, { altitude: null })).toEqual({});
  });

  it('see the order of tags', () => {
    expect(changes(fields, { tags: ['harbour', 'light'] })).toEqual({ tags: ['harbour', 'light'] });
    expect(changes(fields, { tags: [] })).toEqual({ tags: [] });
  });

  it('see every bit of a number, but not the sign of zero', () => {
    expect(changes(fields, { latitude: 55.303000000000004 })).toEqual({ latitude: 55.303000000000004 });
    expect(changes({ ...fields, latitude: 0 }, { latitude: -0 })).toEqual({});
  });

  it('do not take the same bytes under another name for another file', () => {
    expect(changes(fields, { media: { ...sampleFile, name: 'f'.repeat(32) } })).toEqual({});
  });

  it('see another file, a removed and a first one', () => {
    const other = { ...sampleFile, digest: '0'.repeat(64) };
    expect(changes(fields, { media: other })).toEqual({ media: other });
    expect(changes(fields, { media: null })).toEqual({ media: null });
    expect(changes(bare, { media: sampleFile })).toEqual({ media: sampleFile });
  });

  it('touch neither of the two', () => {
    const asked = Object.freeze({ name: 'Mole light' });
    expect(changes(Object.freeze({ ...fields }), asked)).not.toBe(asked);
  });
});

describe('isEmpty', () => {
  it('is true of no field only', () => {
    expect(isEmpty({})).toBe(true);
    expect(isEmpty({ altitude: null })).toBe(false);
  });
});
