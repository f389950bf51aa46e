import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import fc from 'fast-check';
import { someRecord, someWatermark } from '../testing/some-records.ts';
import { decodeRecord, encoded } from './codec.ts';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('a record', () => {
  it('survives a round trip, whatever text it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => {
        const record = someRecord({ partition: 3, previous: 5, position: 9 }, JSON.stringify({ text }));
        expect(decodeRecord(encoded(record), 3)).toEqual(record);
      }),
    );
  });

  it('survives a round trip without an event, or with an erased one', () => {
    const watermark = someWatermark({ partition: 3, previous: 5, position: 9 });
    expect(decodeRecord(encoded(watermark), 3)).toEqual(watermark);
    const record = someRecord({ partition: 3, previous: 5, position: 9 });
    const erased = { ...record, event: record.event && { ...record.event, salt: null, content: null } };
    expect(decodeRecord(encoded(erased), 3)).toEqual(erased);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{')],
    ['another type', bytes([])],
    ['null', bytes(null)],
  ])('is not decoded from %s', (_, value) => {
    expect(decodeRecord(value, 0)).toBeUndefined();
  });

  const good = someRecord({ partition: 3, previous: 5, position: 9 });
  const sent = JSON.parse(encoded(good).toString());
  const event = sent.event;
  it.each<[string, object]>([
    ['another partition', { partition: 4 }],
    ['no incarnation', { incarnation: '' }],
    ['a position that is not a number', { position: '9' }],
    ['a position beyond the safe integers', { position: 2 ** 53 }],
    ['a predecessor with a higher position', { previous: 10 }],
    ['no event property', { event: undefined }],
    ['the id of another event', { eventId: 'another' }],
    ['an event with another position', { event: { ...event, position: 8 } }],
    ['an event without an envelope', { event: { ...event, envelope: null } }],
    ['an event without an account', { event: { ...event, envelope: { ...event.envelope, account: undefined } } }],
    ['an event whose content is not text', { event: { ...event, content: {} } }],
  ])('is refused with %s', (_, wrong) => {
    expect(decodeRecord(bytes(sent), 3)).toEqual(good);
    expect(decodeRecord(bytes({ ...sent, ...wrong }), 3)).toBeUndefined();
  });
});
