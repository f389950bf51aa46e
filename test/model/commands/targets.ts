import fc from 'fast-check';
import { type Expected, notFound, objectOf } from './expectation.ts';
import type { Kind } from './kinds.ts';
import { type Choice, choiceOf, idOf } from './plans.ts';
import type { Model, Thing } from './state.ts';

/** The content of `If-Match` or `If-None-Match`. */
const conditions = ['the tag', 'an old tag', 'any', 'a weak tag', 'nonsense', 'several'] as const;
export type Condition = (typeof conditions)[number];

export const anyCondition = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom<Condition[]>(...conditions) },
);

/** Returns the header's value, and whether it names the object's revision. Returns undefined where the tag that it needs was never seen. */
export const tagsFor = (
  thing: Thing,
  condition: Condition,
): { readonly value: string; readonly current: boolean; readonly weak?: boolean } | undefined => {
  const tag = thing.tags.get(thing.revision);
  const old = [...thing.tags].find(([revision]) => revision !== thing.revision)?.[1];
  switch (condition) {
    case 'the tag':
      return tag === undefined ? undefined : { value: tag, current: true };
    case 'an old tag':
      return old === undefined ? undefined : { value: old, current: false };
    case 'any':
      return { value: '*', current: true };
    case 'a weak tag':
      return tag === undefined ? undefined : { value: `W/${tag}`, current: false, weak: true };
    case 'nonsense':
      return { value: 'nonsense, "x-y"', current: false };
    case 'several':
      return tag === undefined ? undefined : { value: `"x-y", ${tag}`, current: true };
  }
};

/** Invalid ids. */
const oddIds = ['0', '-1', '01', '1.5', 'abc', '9007199254740993', '9'.repeat(30), '%00', '__proto__', '1e3', '%F0%9F%98%80', '+1'];

export type Target = { readonly choice: Choice } | { readonly odd: string };

export const targetOf = (of: Kind): fc.Arbitrary<Target> =>
  fc.oneof(
    { weight: 24, arbitrary: choiceOf(of).map((choice) => ({ choice })) },
    { weight: 1, arbitrary: fc.constantFrom(...oddIds).map((odd) => ({ odd })) },
  );

/** Returns the path, and the object that it names or the expected refusal. */
export const targeted = (
  model: Model,
  account: string,
  kind: Kind,
  target: Target,
): { readonly path: string; readonly found: Thing | Expected } => {
  if ('odd' in target) return { path: `/${kind}/${target.odd}`, found: notFound };
  const id = idOf(model, account, target.choice);
  return { path: `/${kind}/${id}`, found: objectOf(model, account, kind, id) };
};
