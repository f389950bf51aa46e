/** Returns an object without its undefined properties. */
export const withoutUndefined = <Fields extends object>(
  fields: { readonly [Name in keyof Fields]: Fields[Name] | undefined },
): Partial<Fields> => {
  const some: Partial<Fields> = {};
  for (const name in fields) {
    if (fields[name] !== undefined) some[name] = fields[name];
  }
  return some;
};

/** Replaces null by the default. Undefined, for an omitted field, stays. */
export const orDefault = <Value>(value: Value | null | undefined, standard: Value): Value | undefined =>
  value === null ? standard : value;

/** Returns each value once, in the order of first appearance. */
export const unique = (values: readonly string[] | null | undefined): readonly string[] | undefined =>
  orDefault(values === undefined || values === null ? values : [...new Set(values)], []);
