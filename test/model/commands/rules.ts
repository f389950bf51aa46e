import { markup } from './texts.ts';

/** The verdict about one field of a body: a value that is kept, a fault, or nothing because the field is missing. */
export type Verdict = { readonly kept: unknown } | { readonly fault: unknown } | 'unsaid';

/** What a rule can query: which objects the caller may refer to, and which picture a content is. */
export type RuleContext = {
  readonly refers: (kind: 'categories' | 'pinpoints', id: number) => boolean;
  readonly picture: (content: string, type: string) => number | undefined;
};

/** Judges the value of a field. Undefined means that the field is missing. */
export type Rule = (value: unknown, context: RuleContext) => Verdict;

/** Any messages: the contract does not quote these. */
export const someMessages: unknown = expect.arrayContaining([expect.any(String)]);

const fault = (message: string): Verdict => ({ fault: [message] });
const wrong: Verdict = { fault: someMessages };
const kept = (value: unknown): Verdict => ({ kept: value });

export const required =
  (rule: Rule): Rule =>
  (value, context) => {
    if (value === undefined) return fault('This field is required.');
    return value === null ? fault('This field may not be null.') : rule(value, context);
  };

/** Makes a field optional. Null stands for the default. */
export const optional =
  (standard: unknown, rule: Rule): Rule =>
  (value, context) => {
    if (value === undefined) return 'unsaid';
    return value === null ? kept(standard) : rule(value, context);
  };

export const text =
  (max: number, ends: 'trimmed' | 'kept', blank: 'blank' | 'not blank'): Rule =>
  (value) => {
    if (typeof value !== 'string') return fault('Not a valid string.');
    if (value.includes('\0') || !value.isWellFormed()) return wrong;
    const normal = ends === 'trimmed' ? value.normalize('NFC').trim() : value.normalize('NFC');
    if (normal === '' && blank === 'not blank') return fault('This field may not be blank.');
    return [...normal].length > max ? fault(`Ensure this field has no more than ${max} characters.`) : kept(normal);
  };

/** Judges a description as a text. The table of markup shows what is kept of it. */
export const html: Rule = (value, context) => {
  const verdict = text(100_000, 'kept', 'blank')(value, context);
  return typeof value === 'string' && markup.has(value) ? kept(markup.get(value)) : verdict;
};

export const number =
  (min: number, max: number): Rule =>
  (value) => {
    if (typeof value !== 'number') return fault('A valid number is required.');
    if (value > max) return fault(`Ensure this value is less than or equal to ${max}.`);
    return value < min ? fault(`Ensure this value is greater than or equal to ${min}.`) : kept(value === 0 ? 0 : value);
  };

export const reference =
  (kind: 'categories' | 'pinpoints'): Rule =>
  (value, context) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return fault('A valid integer is required.');
    return context.refers(kind, value) ? kept(value) : fault(`Invalid pk "${value}" - object does not exist.`);
  };

export const tags: Rule = (value, context) => {
  if (!Array.isArray(value) || value.length > 100) return wrong;
  const verdicts = value.map((tag) => {
    const verdict = text(100, 'trimmed', 'not blank')(tag, context);
    return tag === null ? fault('This field may not be null.') : verdict;
  });
  const faults = Object.fromEntries(verdicts.flatMap((verdict, at) => (isFault(verdict) ? [[String(at), verdict.fault]] : [])));
  if (Object.keys(faults).length > 0) return { fault: faults };
  return kept([...new Set(verdicts.map((verdict) => (isKept(verdict) ? verdict.kept : undefined)))]);
};

const instant = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && survives(value);

const survives = (value: string): boolean => {
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
};

const isRange = (value: unknown): value is { start: string; end: string } => {
  const { start, end } = (value ?? {}) as { start?: unknown; end?: unknown };
  return instant(start) && instant(end) && String(start) <= String(end);
};

export const dates: Rule = (value) => {
  if (!Array.isArray(value) || value.length > 1_000) return wrong;
  if (value.length === 0) return fault('This list may not be empty.');
  if (value.every(isRange)) return kept(value.map(({ start, end }) => ({ start, end })));
  const last = value.findLastIndex((range) => !isRange(range));
  return { fault: value.slice(0, last + 1).map((range) => (isRange(range) ? {} : expect.any(Object))) };
};

const fileFields = ['content', 'name', 'type'] as const;

/** Judges a file object, and keeps the number of its picture. */
export const file: Rule = (value, context) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong;
  const missing = fileFields.filter((name) => !Object.hasOwn(value, name));
  if (missing.length > 0) return { fault: Object.fromEntries(missing.map((name) => [name, ['This field is required.']])) };
  const { content, name, type } = value as Record<(typeof fileFields)[number], string>;
  const picture = context.picture(content, type);
  return picture === undefined || !/\.[a-z]+$/.test(name) ? { fault: expect.any(Object) } : kept(picture);
};

export const isFault = (verdict: Verdict): verdict is { readonly fault: unknown } => verdict !== 'unsaid' && 'fault' in verdict;
export const isKept = (verdict: Verdict): verdict is { readonly kept: unknown } => verdict !== 'unsaid' && 'kept' in verdict;
