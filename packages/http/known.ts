/** A value that is known at once, or a promise of it. Waiting for a promise costs a small read a part of its time. */
export type Known<Value> = Value | Promise<Value>;

/** Uses a value at once if it is known, or else when its promise resolves. */
export const whenKnown = <Value, Result>(value: Known<Value>, use: (value: Value) => Known<Result>): Known<Result> =>
  value instanceof Promise ? value.then(use) : use(value);
