import { bodyBytesMax } from '@waymark/http/limits.ts';
import type { Random } from '../crash/random.ts';
import { oddNames, oddValue } from './odd.ts';

type Tree = Record<string, unknown> | unknown[];

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Returns the objects and arrays within a value. */
const treesIn = (value: unknown, found: Tree[] = []): Tree[] => {
  if (!isTree(value) || found.length >= treesMax) return found;
  found.push(value);
  for (const child of Object.values(value)) treesIn(child, found);
  return found;
};

const treesMax = 200;

/** Changes a part of a JSON value: a type, a field, or the number of elements. */
export const mutated = (value: unknown, random: Random): unknown => {
  const copy: unknown = structuredClone(value);
  const tree = random.pick(treesIn(copy));
  if (tree === undefined || random.chance(0.05)) return oddValue(random);
  const key = random.pick(Object.keys(tree));
  if (Array.isArray(tree)) return mutatedArray(copy, tree, random);
  const name = random.chance(0.2) || key === undefined ? (random.pick(oddNames) ?? '') : key;
  if (random.chance(0.15)) delete tree[name];
  else Object.defineProperty(tree, name, { value: changed(tree[name], random), enumerable: true, writable: true, configurable: true });
  return copy;
};

const mutatedArray = (copy: unknown, tree: unknown[], random: Random): unknown => {
  const at = random.below(tree.length + 1);
  if (random.chance(0.05)) tree.push(...repeated(tree[0], random.pick([100, 1_001]) ?? 0));
  else if (random.chance(0.3)) tree.splice(at, 1);
  else tree.splice(at, random.chance(0.5) ? 1 : 0, changed(tree[at], random));
  return copy;
};

/** Returns copies of a value, fewer of a large one. They share nothing: a later change of one would multiply. */
const repeated = (value: unknown, times: number): unknown[] => {
  const characters = JSON.stringify(value)?.length ?? 1;
  return Array.from({ length: Math.min(times, Math.ceil(repeatedCharactersMax / characters)) }, () => structuredClone(value));
};

/** A body with several such repetitions may pass the API's limit. */
const repeatedCharactersMax = bodyBytesMax / 4;

/** Returns a value close to the original, or an entirely different one. */
const changed = (value: unknown, random: Random): unknown => {
  if (random.chance(0.5)) return oddValue(random);
  if (typeof value === 'number') return random.pick([-value, value + 1, value * 1e6, value + 0.1, String(value)]);
  if (typeof value === 'string')
    return random.pick([`${value}${value}`, value.slice(1), value.repeat(40), value.toUpperCase(), [value], `${value}\u0000`]);
  return isTree(value) ? random.pick([[value], { value }, JSON.stringify(value)]) : oddValue(random);
};

type Edit = (text: string, random: Random) => string | Buffer;

const insertedAt = (text: string, at: number, what: string): string => text.slice(0, at) + what + text.slice(at);

const edits: readonly Edit[] = [
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => text.slice(random.below(text.length)),
  (text) => text.replace('{', '{"name":"first","__proto__":1,'),
  (text) => text.replace(/}$/, ',"name":"last","latitude":"1"}'),
  (text) => text.replace(/}$/, ',}'),
  (text) => text.replaceAll('"', "'"),
  (text) => text.replace(/\d+/, random1e999),
  (text) => text.replace(/[\d.]+/, '-'),
  (text) => `\ufeff${text}`,
  (text) => `${text}${text}`,
  (text) => `${text} // comment`,
  (text, random) => insertedAt(text, random.below(text.length), '\u0000'),
  (text, random) => insertedAt(text, random.below(text.length), '\\ud800'),
  (text) => Buffer.from(text, 'utf16le'),
  (text, random) => withByte(text, random, random.below(256)),
  (text, random) => withByte(text, random, 0xff),
  () => '',
  () => 'null',
  () => '[',
  () => '{"a":'.repeat(5_000),
  () => '['.repeat(100_000),
  (text) => text.padEnd(text.length + 5_000, ' '),
];

const random1e999 = '1e999';

const withByte = (text: string, random: Random, byte: number): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length > 0) bytes[random.below(bytes.length)] = byte;
  return bytes;
};

/** Changes the text of a body. In most cases it is no longer valid JSON. */
export const mutatedText = (text: string, random: Random): string | Buffer => random.pick(edits)?.(text, random) ?? text;
