import { type Answer, faults, statusAndBody } from './client.ts';
import { aList, aPinpoint, type Fields } from './samples.ts';
import type { Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const atMost = (count: number, unit: string): string => `Ensure this field has no more than ${count} ${unit}.`;

const limits: readonly [field: string, characters: number][] = [
  ['name', 255],
  ['address', 1_000],
  ['media_credits', 1_000],
  ['description', 100_000],
];

/** Each is one code point; some have several bytes, UTF-16 units, or code points before normalisation. */
const characters: readonly [what: string, character: string, shown: string][] = [
  ['an ASCII letter', 'a', 'a'],
  ['an emoji', '😀', '😀'],
  ['a letter and a combining accent', 'e\u0301', 'é'],
];

/** Sends a field as JSON text that no serialiser would produce. */
const postRaw = (me: Session, body: Fields, literal: string): Promise<Answer> =>
  me.send('POST', '/pinpoints', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body).replace('"HERE"', literal),
  });

describe('Strings:', () => {
  it.each(['name', 'address', 'media_credits', 'description'])('%s is normalised to NFC', async (field) => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ [field]: 'Cafe\u0301' }));
    expect(made[field]).toBe('Café');
  });

  it('tags are normalised to NFC, trimmed and de-duplicated, their order kept', async () => {
    const me = await waymark.account();
    const tags = ['sea', ' tower\t', 'e\u0301', 'tower', 'é', 'Sea', 'sea'];
    const made = await me.create('/pinpoints', aPinpoint({ tags }));
    expect(made['tags']).toEqual(['sea', 'tower', 'é', 'Sea']);
  });

  it('a name is trimmed, and otherwise unchanged', async () => {
    const me = await waymark.account();
    expect((await me.create('/lists', aList({ name: ' \t Walks  by the sea\n ' })))['name']).toBe('Walks  by the sea');
  });

  it('a name is trimmed before it is counted', async () => {
    const me = await waymark.account();
    const name = 'a'.repeat(255);
    expect((await me.create('/lists', aList({ name: `  ${name}  ` })))['name']).toBe(name);
  });

  it.each(['address', 'media_credits'])('%s keeps its spaces', async (field) => {
    const me = await waymark.account();
    expect((await me.create('/pinpoints', aPinpoint({ [field]: ' 1 Harbour Road ' })))[field]).toBe(' 1 Harbour Road ');
  });

  it.each(limits.flatMap(([field, most]) => characters.map((character) => [field, most, ...character] as const)))(
    '%s accepts %d characters, each %s',
    async (field, most, _, character, shown) => {
      const me = await waymark.account();
      const made = await me.create('/pinpoints', aPinpoint({ [field]: character.repeat(most) }));
      expect(made[field] === shown.repeat(most)).toBe(true);
    },
  );

  it.each(limits.flatMap(([field, most]) => characters.map((character) => [field, most, ...character] as const)))(
    '%s accepts no more than %d characters, each %s',
    async (field, most, _, character) => {
      const me = await waymark.account();
      const answer = await me.post('/pinpoints', aPinpoint({ [field]: character.repeat(most + 1) }));
      expect(statusAndBody(answer)).toEqual({ status: 400, body: { [field]: [atMost(most, 'characters')] } });
    },
  );

  it('a tag has up to 100 characters, and there are up to 100 tags', async () => {
    const me = await waymark.account();
    const tags = Array.from({ length: 100 }, (_, at) => `${'😀'.repeat(97)}${100 + at}`);
    expect((await me.create('/pinpoints', aPinpoint({ tags })))['tags']).toEqual(tags);
  });

  it.each([
    ['a tag of 101 characters', ['a'.repeat(101)], atMost(100, 'characters')],
    ['101 tags', Array.from({ length: 101 }, (_, at) => `tag ${at}`), atMost(100, 'elements')],
  ])('%s is refused', async (_, tags, message) => {
    const me = await waymark.account();
    const answer = await me.post('/pinpoints', aPinpoint({ tags }));
    expect(faults(answer)).toEqual(['tags']);
    expect(answer.text).toContain(message);
  });

  it.each(
    ['name', 'address', 'media_credits', 'description'].flatMap((field) =>
      ['"a\\u0000b"', '"a\\ud800b"', '"\\udc00a"', '"a\\ud83d"'].map((literal) => [field, literal] as const),
    ),
  )('%s with a NUL or an unpaired surrogate is refused: %s', async (field, literal) => {
    const me = await waymark.account();
    const answer = await postRaw(me, aPinpoint({ [field]: 'HERE' }), literal);
    expect(faults(answer)).toEqual([field]);
  });

  it.each(['"\\u0000"', '"\\ud800"'])('a tag with a NUL or an unpaired surrogate is refused: %s', async (literal) => {
    const me = await waymark.account();
    const answer = await postRaw(me, aPinpoint({ tags: ['sea', 'HERE'] }), literal);
    expect(faults(answer)).toEqual(['tags']);
  });

  it('a pair of surrogates written as escapes is one character', async () => {
    const me = await waymark.account();
    expect((await postRaw(me, aPinpoint({ name: 'HERE' }), '"\\ud83d\\ude00"')).body).toMatchObject({ name: '😀' });
  });

  it.each([
    ['Hangul as NFD, 255 syllables', '한'.normalize('NFD').repeat(255)],
    ['Vietnamese as NFD', 'Phở ướt Nguyễn Tất Thành'.normalize('NFD')],
    ['cantillated Hebrew', 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים'],
    ['Tibetan stacks', 'རྒྱལ་པོ་སྒྲུབ་ ཧཱུྃ་'],
    ['emoji', '👩🏽‍🚒🏴󠁧󠁢󠁳󠁣󠁴󠁿❤️‍🔥1️⃣'],
    ['30 combining marks', `x${'\u0316'.repeat(30)}`],
  ])('a text with combining marks is accepted: %s', async (_, text) => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ name: text, description: text, tags: [text.slice(0, 100)] }));
    expect(made).toMatchObject({ name: text.normalize('NFC'), description: text.normalize('NFC') });
    expect((await me.put(`/pinpoints/${made.id}`, aPinpoint({ name: made['name'], description: made['description'] }))).status).toBe(200);
  });

  const tooManyMarks = 'More than 30 combining marks in a row are not allowed.';

  it.each(['name', 'address', 'media_credits', 'description'])('%s with 31 combining marks in a row is refused', async (field) => {
    const me = await waymark.account();
    const answer = await me.post('/pinpoints', aPinpoint({ [field]: `x${'\u0316'.repeat(31)}` }));
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { [field]: [tooManyMarks] } });
  });

  it('a tag, and the name of a file, with 31 combining marks in a row are refused', async () => {
    const me = await waymark.account();
    const name = `x${'\u0316'.repeat(31)}.png`;
    const answer = await me.post('/pinpoints', aPinpoint({ tags: [name], media_file: { name, type: 'image/png', content: 'AAAA' } }));
    expect(answer.body).toMatchObject({ media_file: { name: [tooManyMarks] } });
    expect(faults(answer)).toEqual(['media_file', 'tags']);
  });

  it.each([
    ['name', 200_000, atMost(255, 'characters')],
    ['address', 400_000, atMost(1_000, 'characters')],
    ['description', 99_999, tooManyMarks],
    ['description', 2_000_000, atMost(100_000, 'characters')],
  ])('%s of %d combining marks is refused before it is normalised', async (field, marks, message) => {
    const me = await waymark.account();
    const answer = await me.post('/pinpoints', aPinpoint({ [field]: '\u0301'.repeat(marks) }));
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { [field]: [message] } });
  });

  it('character references in a description count as the marks that they stand for', async () => {
    const me = await waymark.account();
    expect(await me.create('/pinpoints', aPinpoint({ description: '<i>e&#x301;</i>' }))).toMatchObject({ description: '<i>é</i>' });
    const answer = await me.post('/pinpoints', aPinpoint({ description: `<i>e${'&#x301;'.repeat(31)}</i>` }));
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { description: [tooManyMarks] } });
  });

  it('text of any script comes back as it was sent', async () => {
    const me = await waymark.account();
    const name = 'مكتبة 图书馆 Ὀδυσσεύς 👩‍👩‍👧 "quoted" \\back\u2028line';
    expect((await me.create('/lists', aList({ name })))['name']).toBe(name);
  });
});
