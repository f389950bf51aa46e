/** A value in which everything that differs from run to run is replaced by a word that names it. Everything else is unchanged, including
 * the order of keys. */
export type Masked = string | number | boolean | null | readonly Masked[] | { readonly [name: string]: Masked };

/** Ids, revisions and versions are at most this number. Positions, sizes and times are above it. */
const stableNumberMax = 999;
/** The names of numbers that are measured: durations, sizes, process ids and ports; and of revisions that depend on what happens at the same
 * time. */
const measured = /(seconds?|bytes|ms|pid|port|oldest)$/i;

/** Ids of tokens, and the names of the fields that hold them. */
const tokenId = /^[\w-]{12}$/;
const namesOfTokenIds = new Set(['token', 'id']);

/** The sum of some events, in hex without leading zeros. That of no events is 0. */
const sum = /^[1-9a-f][0-9a-f]{0,63}$/;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z\b/g, '<time>'],
  [
    /\b(?:[0-9a-f]{128}|[0-9a-f]{64}|[0-9a-f]{48}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{16}|[0-9a-f]{12}|[0-9a-f]{8})\b/g,
    '<hex>',
  ],
  [/(?<=\brefusals-<hex>-)\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/(?<=\+<hex>\+)[\w+/]{44}/g, '<key>'],
  [/(?<![\w+/])[\w+/]{43}=/g, '<base64>'],
  [/(?<=— waymark\/<uuid> )[\w+/=]+/g, '<signature>'],
  [/(?<![\w-])(?=[\w-]*[A-Z\d])(?:[\w-]{43}|[\w-]{32}|[\w-]{22})(?![\w-])/g, '<base64url>'],
  [/(?<=\btoken-)[\w-]{43}(?![\w-])/g, '<base64url>'],
  [/(?<="\d+-)[\w-]{8}(?=")/g, '<incarnation>'],
  [/(?<=[?&]cursor=)[\w-]{32}/g, '<signature>'],
  [/(?<=\bmedia\/)[0-9a-f]{2}(?=\/)/g, '<hex>'],
  [/(?<=(?:127\.0\.0\.1|localhost):)\d+/g, '<port>'],
  [/(?<![\w.-])\d{4,}(?![\w.])/g, '<number>'],
];

/** What the notary has done, and what was compared with it, depends on the moment. */
const ofMoment = new Set(['notary', 'checkpoint']);

const withoutNumbers = (one: object): object =>
  Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, typeof inner === 'number' ? '<number>' : inner]));

/** The tree of an account without its place in the map of all accounts, which are in the order of their random ids. */
const withoutPlace = (one: object): object =>
  'root' in one && 'index' in one && 'path' in one ? { ...one, index: '<number>', path: '<path>' } : one;

/** Fields that differ in each event. If only the form of a store is checked, one of each is enough. */
const variableFields = new Set(['stream', 'type', 'actor', 'content', 'fields', 'revision']);

/** Creates the functions that mask values.
 * @param own the names that only this run has, and the words that replace them
 * @param detail `forms`: for data that depends on timing, only the forms of values, each form once */
export const masking = (own: Readonly<Record<string, string>>, detail: 'values' | 'forms' = 'values') => {
  const formsOnly = detail === 'forms';
  const text = (one: string): string => {
    const general = Object.entries(own).reduce((made, [name, word]) => made.replaceAll(name, `<${word}>`), one);
    return patterns.reduce((made, [pattern, word]) => made.replaceAll(pattern, word), general);
  };
  const value = (one: unknown, name = ''): Masked => {
    if (formsOnly && variableFields.has(name) && one !== null) return `<${name}>`;
    if (name === 'format' && typeof one === 'string') return one;
    if (name === 'sum' && typeof one === 'string' && sum.test(one)) return '<hex>';
    if (typeof one === 'string') return namesOfTokenIds.has(name) && tokenId.test(one) ? '<base64url>' : text(one);
    if (typeof one === 'number') return isSteady(one, name) && !formsOnly ? one : '<number>';
    if (Array.isArray(one)) return arrayOf(one.map((item) => value(item, name)));
    if (typeof one === 'object' && one !== null) return objectOf(ofMoment.has(name) ? withoutNumbers(one) : withoutPlace(one));
    return one as boolean | null;
  };
  /** Masks an array. Applications, and rows that begin with a random id, are sorted here, because the order of their ids is random. */
  const arrayOf = (items: readonly Masked[]): Masked => {
    if (formsOnly) return distinct(items);
    return items.every((item) => isApplication(item) || beginsWithId(item)) ? items.toSorted(byText) : items;
  };
  /** Masks an object. Its names keep their order, unless they are random: then they are sorted. */
  const objectOf = (one: object): Masked => {
    const entries = Object.entries(one).map(([key, inner]) => [text(key), value(inner, key)] as const);
    const isOrdered = Object.keys(one).every((key) => key === text(key));
    return Object.fromEntries(isOrdered ? entries : entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  /** Masks stored bytes. If they are JSON as `JSON.stringify` writes it, with or without a signature before it, they are masked as a value,
   * otherwise as text. */
  const stored = (bytes: string): Masked => {
    const [, signature = '', json = bytes] = /^([\w-]{32})(\{.*\})$/s.exec(bytes) ?? [];
    const parsed = parsedJson(json);
    if (typeof parsed !== 'object' || parsed === null) return text(bytes);
    if (JSON.stringify(parsed) === json.trimEnd())
      return signature === '' ? value(parsed) : { signature: text(signature), signed: value(parsed) };
    return JSON.stringify(parsed, null, 2) === json.trimEnd() ? { indented: value(parsed) } : text(bytes);
  };
  /** Masks each line of a text as stored bytes. */
  const lines = (text: string): readonly Masked[] => text.trimEnd().split('\n').map(stored);
  return { text, value, stored, lines };
};
export type Masking = ReturnType<typeof masking>;

const isSteady = (number: number, name: string): boolean =>
  Number.isInteger(number) && Math.abs(number) <= stableNumberMax && !measured.test(name);

export const byText = (one: Masked, other: Masked): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

const beginsWithId = (item: Masked): boolean => Array.isArray(item) && item[0] === '<hex>';

const isApplication = (item: Masked): boolean => typeof item === 'object' && item !== null && 'client_id' in item;

/** Returns each item once, sorted by its text. */
export const distinct = (items: readonly Masked[]): readonly Masked[] => {
  const texts = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
};

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
