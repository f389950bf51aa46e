import fc from 'fast-check';
import type { Kind } from './kinds.ts';
import type { Picture } from './pictures.ts';
import { isShown, type Model, shownTo } from './state.ts';
import { anyDescription, anyText } from './texts.ts';

/** An object that a request names: one of the caller's, one of another account, a deleted one, or none. */
export type Choice = { readonly of: Kind; readonly nth: number; readonly whose: 'own' | 'foreign' | 'gone' | 'unknown' };

/** A value in a body: given as it is, or chosen from the model's state when the body is sent. */
export type Wish =
  | { readonly give: unknown }
  | { readonly refer: Choice }
  | { readonly picture: number; readonly as: 'it is' | 'data URL' | 'another type' | 'no base64' | 'nameless' };

export type BodyPlan = { readonly wishes: Readonly<Record<string, Wish>>; readonly noise: string };

const give = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Wish> => values.map((value) => ({ give: value }));

/** Mostly valid values, and some of another type or null. */
const mostly = (good: fc.Arbitrary<Wish>): fc.Arbitrary<Wish> =>
  fc.oneof(
    { weight: 80, arbitrary: good },
    { weight: 1, arbitrary: give(fc.constantFrom<unknown[]>(null, 0, 7, -1.5, true, 'text', '', [], {}, [null], { a: [1] })) },
  );

export const choiceOf = (of: Kind): fc.Arbitrary<Choice> =>
  fc.record({
    of: fc.constant(of),
    nth: fc.nat(1_000),
    whose: fc.oneof(
      { weight: 16, arbitrary: fc.constant('own' as const) },
      { weight: 1, arbitrary: fc.constantFrom('foreign' as const, 'gone' as const, 'unknown' as const) },
    ),
  });

const name = mostly(give(anyText(255)));
const shortText = mostly(give(anyText(1_000)));
const description = mostly(give(anyDescription));
const tag = fc.oneof({ weight: 20, arbitrary: anyText(100).filter((text) => text.trim() !== '') }, { weight: 1, arbitrary: anyText(100) });
const hundredAndOne = Array.from({ length: 101 }, (_, nth) => `tag ${nth}`);
const tags = mostly(
  give(
    fc.oneof(
      { weight: 12, arbitrary: fc.array(tag, { maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constantFrom<unknown[]>(hundredAndOne.slice(1), hundredAndOne, [1], [null], 'a,b') },
    ),
  ),
);
const degrees = (max: number) =>
  mostly(
    give(
      fc.oneof(
        { weight: 8, arbitrary: fc.double({ min: -max, max, noNaN: true }) },
        { weight: 4, arbitrary: fc.constantFrom(max, -max, 0, -0, 5e-324, 1e-7) },
        { weight: 1, arbitrary: fc.constantFrom<unknown[]>(max + 1e-9, -max - 1e-9, 1e300, '1', `${max}`) },
      ),
    ),
  );
const altitude = mostly(
  give(
    fc.oneof(
      { weight: 8, arbitrary: fc.double({ min: -12_000, max: 1_000_000, noNaN: true }) },
      { weight: 2, arbitrary: fc.constantFrom<unknown[]>(null, -12_000, 1_000_000, -12_000.5, 1_000_001) },
    ),
  ),
);
const picture: fc.Arbitrary<Wish> = fc.record({
  picture: fc.nat(2),
  as: fc.oneof(
    { weight: 8, arbitrary: fc.constant('it is' as const) },
    { weight: 2, arbitrary: fc.constant('data URL' as const) },
    { weight: 1, arbitrary: fc.constantFrom('another type' as const, 'no base64' as const, 'nameless' as const) },
  ),
});
const referTo = (of: Kind): fc.Arbitrary<Wish> => choiceOf(of).map((refer) => ({ refer }));

const moment = fc
  .date({ min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const range = fc.tuple(moment, moment).map(([one, other]) => (one <= other ? { start: one, end: other } : { start: other, end: one }));
const oddRanges: readonly unknown[] = [
  { start: '2026-06-01T08:00:00.000Z', end: '2026-06-01T07:59:59.999Z' },
  { start: '2026-02-30T08:00:00.000Z', end: '2026-06-01T07:59:59.999Z' },
  { start: '2026-06-01T24:00:00.000Z', end: '2026-06-02T07:59:59.999Z' },
  { start: '2026-06-01T08:00:00Z', end: '2026-06-02T08:00:00Z' },
  { start: '2026-06-01T08:00:00.000Z' },
  null,
  [],
];
const dates = mostly(
  give(
    fc.oneof(
      { weight: 16, arbitrary: fc.array(range, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.array(fc.oneof(range, fc.constantFrom(...oddRanges)), { maxLength: 4 }) },
    ),
  ),
);

/** Additional fields, which have no meaning. */
const noise = fc.oneof(
  { weight: 8, arbitrary: fc.constant('{}') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"__proto__":{"name":"polluted","present":false}}',
      '{"constructor":{"prototype":{"name":"polluted"}}}',
      '{"id":7,"account":"x","media_url":"https://example.org/","members":[1]}',
      '{"toString":1,"hasOwnProperty":null,"wished":{}}',
    ),
  },
);

type Wishes = Readonly<Record<string, fc.Arbitrary<Wish>>>;

const always: Readonly<Record<Kind, Wishes>> = {
  pinpoints: { name, latitude: degrees(90), longitude: degrees(180) },
  lists: { name },
  categories: { name },
  events: { name, pinpoint: mostly(referTo('pinpoints')), dates },
};
const sometimes: typeof always = {
  pinpoints: {
    address: shortText,
    altitude,
    category: mostly(referTo('categories')),
    description,
    media_credits: shortText,
    media_file: mostly(picture),
    tags,
  },
  lists: { description },
  categories: {},
  events: { description, media_credits: shortText, media_file: mostly(picture), tags },
};

/** Optional fields are present half of the time, the others nearly always. */
export const bodyPlan = (kind: Kind, creating: boolean): fc.Arbitrary<BodyPlan> => {
  const image: Wishes = kind === 'categories' ? { image_file: mostly(picture) } : {};
  const needed: Wishes = { ...always[kind], ...(creating ? image : {}) };
  const free: Wishes = { ...sometimes[kind], ...(creating ? {} : image) };
  return fc.record({
    wishes: fc
      .tuple(fc.record(needed), fc.record(free, { requiredKeys: [] }), fc.record(needed, { requiredKeys: [] }), fc.nat(15))
      .map(([whole, more, part, luck]) => ({ ...(luck === 0 ? part : whole), ...more }) as BodyPlan['wishes']),
    noise,
  });
};

const unknownId = 999_999_999_999;

/** Returns the id of the chosen object, or an unknown id where there is no such object. */
export const idOf = (model: Model, account: string, { of, nth, whose }: Choice): number => {
  const candidates = model.things[of].filter((thing) => {
    if (whose === 'gone') return !isShown(model, thing);
    return whose === 'foreign' && thing.account !== account;
  });
  const among = whose === 'own' ? shownTo(model, account, of) : candidates;
  return among[nth % Math.max(1, among.length)]?.id ?? unknownId;
};

const fileObject = (pictures: readonly Picture[], { picture, as }: Extract<Wish, { picture: number }>): unknown => {
  const file = pictures[picture] ?? { content: '', name: '', type: '' };
  switch (as) {
    case 'it is':
      return file;
    case 'data URL':
      return { ...file, content: `data:${file.type};base64,${file.content}` };
    case 'another type':
      return { ...file, type: 'image/webp' };
    case 'no base64':
      return { ...file, content: `${file.content}*` };
    case 'nameless':
      return { content: file.content, type: file.type };
  }
};

/** Returns the body's JSON text for the present state of the model. */
export const bodyText = (plan: BodyPlan, model: Model, account: string, pictures: readonly Picture[]): string => {
  const wished = (wish: Wish): unknown => {
    if ('give' in wish) return wish.give;
    return 'refer' in wish ? idOf(model, account, wish.refer) : fileObject(pictures, wish);
  };
  const fields = Object.entries(plan.wishes).map(([field, wish]) => [field, wished(wish)]);
  return JSON.stringify({ ...JSON.parse(plan.noise), ...Object.fromEntries(fields) });
};
