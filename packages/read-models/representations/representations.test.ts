import type { StoredFile } from '@waymark/domain/fields.ts';
import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import fc from 'fast-check';
import { categoryFields, categoryText } from './category.ts';
import { completeFiles, fileText } from './files.ts';
import { happeningFields, happeningText } from './happening.ts';
import { listFields, listText } from './list.ts';
import { pinpointFields, pinpointText } from './pinpoint.ts';

const base = 'https://waymark.example';
const url = `${base}/media/${sampleFile.name}`;

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
// Code units, so that unpaired surrogates are included; and text that looks like a file reference.
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('"', '\\', 'media_url', '_url":"media:', ':', 'image_url', 'media:', '{', '}'), { maxLength: 8 })
    .map((parts) => parts.join('')),
);
// JSON has no -0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const file: fc.Arbitrary<StoredFile> = fc.record({ name: text, digest: text, type: text, bytes: id });
const media = fc.option(file);
const tags = fc.array(text, { maxLength: 4 });

const pinpoint = fc.record({
  name: text,
  address: text,
  latitude: number,
  longitude: number,
  altitude: fc.option(number),
  category: fc.option(id),
  description: text,
  mediaCredits: text,
  media,
  tags,
});
const list = fc.record({ name: text, description: text });
const category = fc.record({ name: text, image: file });
const happening = fc.record({
  name: text,
  pinpoint: id,
  dates: fc.array(fc.record({ start: text, end: text }), { maxLength: 3 }),
  description: text,
  mediaCredits: text,
  media,
  tags,
});

/** Checks for the same values and the same order of keys. */
const sameText = (one: unknown, other: unknown): void => expect(JSON.stringify(one)).toBe(JSON.stringify(other));

describe('a prepared text', () => {
  const { fields } = sampleEvents.PinpointCreated;

  it('has the fields of a pinpoint in the order of the contract', () => {
    expect(pinpointText(12, fields)).toBe(
      '{"id":12,"name":"Harbour light","address":"Mole 1, Nida","latitude":55.303,"longitude":21.005,"altitude":3.5,"category":4,' +
        '"description":"<p>White, then red.</p>","media_credits":"Photo: R. Jonaitis",' +
        `"media_url":"media:${sampleFile.name}","tags":["light","harbour"]}`,
    );
    expect(pinpointText(12, { ...fields, media: null })).toContain('"media_url":null');
  });

  it('has the fields of a list in the order of the contract', () => {
    expect(listText(7, { description: 'b', name: 'a' })).toBe('{"id":7,"name":"a","description":"b"}');
  });

  it('has the fields of a category in the order of the contract', () => {
    expect(categoryText(4, { image: sampleFile, name: 'a' })).toBe(`{"id":4,"name":"a","image_url":"media:${sampleFile.name}"}`);
  });

  it('has the fields of an API event in the order of the contract', () => {
    expect(Object.keys(JSON.parse(happeningText(31, sampleEvents.HappeningCreated.fields)))).toEqual([
      'id',
      'name',
      'pinpoint',
      'dates',
      'description',
      'media_credits',
      'media_url',
      'tags',
    ]);
  });

  it.each([1e-7, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, -89.99999999999999, 1e21])('keeps the double %d', (latitude) => {
    expect(pinpointFields({ text: pinpointText(1, { ...fields, latitude }), file: null }).latitude).toBe(latitude);
  });

  it('returns the fields that it was prepared from, for any values', () => {
    fc.assert(
      fc.property(id, pinpoint, list, category, happening, (number, one, two, three, four) => {
        sameText(pinpointFields({ text: pinpointText(number, one), file: fileText(one.media) }), one);
        sameText(listFields({ text: listText(number, two) }), two);
        sameText(categoryFields({ text: categoryText(number, three), file: fileText(three.image) }), three);
        sameText(happeningFields({ text: happeningText(number, four), file: fileText(four.media) }), four);
        expect(JSON.parse(pinpointText(number, one)).id).toBe(number);
      }),
    );
  });
});

describe('completing the files of a text', () => {
  it('replaces every file reference of a page with a public URL', () => {
    const { fields } = sampleEvents.PinpointCreated;
    const page = `{"results":[${pinpointText(1, fields)},${pinpointText(2, { ...fields, media: null })},${categoryText(3, { name: '', image: sampleFile })}]}`;
    const { results } = JSON.parse(completeFiles(page, base));
    expect(results[0].media_url).toBe(url);
    expect(results[1].media_url).toBeNull();
    expect(results[2].image_url).toBe(url);
  });

  it('inserts the base URL unchanged', () => {
    const odd = 'https://waymark.example/$&/$1/"quoted"';
    const completed = completeFiles(categoryText(3, { name: '', image: sampleFile }), odd);
    expect(JSON.parse(completed).image_url).toBe(`${odd}/media/${sampleFile.name}`);
  });

  it('changes nothing in user content', () => {
    const complete = (stored: StoredFile | null) => stored && `${base}/media/${stored.name}`;
    fc.assert(
      fc.property(id, pinpoint, happening, category, (number, one, two, three) => {
        const page = [pinpointText(number, one), happeningText(number, two), categoryText(number, three)];
        const completed = JSON.parse(completeFiles(`[${page.join(',')}]`, base));
        const plain = page.map((answer) => JSON.parse(answer));
        sameText(completed, [
          { ...plain[0], media_url: complete(one.media) },
          { ...plain[1], media_url: complete(two.media) },
          { ...plain[2], image_url: complete(three.image) },
        ]);
      }),
      { numRuns: 300 },
    );
  });
});
