import fc from 'fast-check';
import { canonicalJson } from '../canonical-json.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Generates lines of which one value, at any depth of any line, is replaced by any other value, or removed. */
export const withReplacedValue = (exports: readonly (readonly string[])[]): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(
      fc.constantFrom(...exports),
      fc.nat(),
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      fc.option(fc.jsonValue(), { nil: undefined }),
    )
    .map(([lines, nth, path, value]) => {
      const at = nth % lines.length;
      return lines.with(at, canonicalJson(replaced(JSON.parse(lines[at] ?? 'null'), path, value as Json | undefined)));
    });

const replaced = (value: Json, [step, ...path]: readonly number[], by: Json | undefined): Json | undefined => {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (step === undefined || members.length === 0) return by;
  const nth = step % members.length;
  const changed = members.flatMap(([name, member], index): readonly (readonly [string, Json])[] => {
    if (index !== nth) return [[name, member]];
    const other = replaced(member, path, by);
    return other === undefined ? [] : [[name, other]];
  });
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
};
