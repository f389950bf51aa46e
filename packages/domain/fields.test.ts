import { changes, isEmpty } from './fields.ts';
import type { PinpointFields } from './pinpoint/events.ts';
import { sampleEvents, sampleFile } from './testing/samples.ts';

const { fields } = sampleEvents.PinpointCreated;
const bare: PinpointFields = { ...fields, altitude: null, media: null };

describe('changes', () => {
  it('are the fields whose values differ, with the requested values', () => {
    expect(changes(fields, { name: 'Mole light', altitude: 4, address: fields.address })).toEqual({
      name: 'Mole light',
      altitude: 4,
    });
  });

  it('are empty if every value is unchanged', () => {
    expect(changes(fields, structuredClone(fields))).toEqual({});
  });

  it('do not include fields that the request omits or sets to undefined', () => {
    const asked: object = { name: undefined };
    expect(changes(fields, {})).toEqual({});
    expect(changes(fields, asked)).toEqual({});
  });

  it('distinguish null from a value, in both directions', () => {
    expect(changes(fields, { altitude: null, category: null })).toEqual({ altitude: null, category: null });
    expect(changes(bare, { altitude: 0 })).toEqual({ altitude: 0 });
    expect(changes(bare, { altitude: null })).toEqual({});
  });

  it('detect another order of tags', () => {
    expect(changes(fields, { tags: ['harbour', 'light'] })).toEqual({ tags: ['harbour', 'light'] });
    expect(changes(fields, { tags: [] })).toEqual({ tags: [] });
  });

  it('detect every bit of a number, but not the sign of zero', () => {
    expect(changes(fields, { latitude: 55.303000000000004 })).toEqual({ latitude: 55.303000000000004 });
    expect(changes({ ...fields, latitude: 0 }, { latitude: -0 })).toEqual({});
  });

  it('do not include the same bytes under another file name', () => {
    expect(changes(fields, { media: { ...sampleFile, name: 'f'.repeat(32) } })).toEqual({});
  });

  it('include another file, a removed file and a first file', () => {
    const other = { ...sampleFile, digest: '0'.repeat(64) };
    expect(changes(fields, { media: other })).toEqual({ media: other });
    expect(changes(fields, { media: null })).toEqual({ media: null });
    expect(changes(bare, { media: sampleFile })).toEqual({ media: sampleFile });
  });

  it('modify neither of the two arguments', () => {
    const asked = Object.freeze({ name: 'Mole light' });
    expect(changes(Object.freeze({ ...fields }), asked)).not.toBe(asked);
  });
});

describe('isEmpty', () => {
  it('is true only for an object without fields', () => {
    expect(isEmpty({})).toBe(true);
    expect(isEmpty({ altitude: null })).toBe(false);
  });
});
