import type { Static } from '@sinclair/typebox';
import type { Answers } from './answers.ts';
import type { bodies } from './bodies.ts';

/** A call of the operator API: its method and path. Server and command line take all of its types from here. */
export type CallName = keyof Answers;

export type AnswerOf<Name extends CallName> = Answers[Name];

/** The body of a call; undefined for a call without one. */
export type BodyOf<Name extends CallName> = Name extends keyof typeof bodies ? DeepReadonly<Static<(typeof bodies)[Name]>> : undefined;

/** The names of the parameters in the path of a call. */
type ParameterOf<Path> = Path extends `${string}:${infer First}/${infer Rest}`
  ? First | ParameterOf<Rest>
  : Path extends `${string}:${infer Last}`
    ? Last
    : never;

/** The values that a client gives for a call: its body, or bytes if it has no schema for one, and its parameters. */
export type ValuesOf<Name extends CallName> = (Name extends keyof typeof bodies ? { readonly body: BodyOf<Name> } : unknown) &
  (Name extends 'POST /operator/import/media/:name' ? { readonly body: Uint8Array } : unknown) &
  ([ParameterOf<Name>] extends [never] ? unknown : { readonly parameters: Readonly<Record<ParameterOf<Name>, string>> });

type DeepReadonly<Value> = Value extends object ? { readonly [Field in keyof Value]: DeepReadonly<Value[Field]> } : Value;
