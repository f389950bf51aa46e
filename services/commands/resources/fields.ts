/** An object without those of its properties that are undefined. */
export const given = <Fields extends object>(fields: { readonly [Name in keyof Fields]: Fields[Name] | undefined }): Partial<Fields> => {
  const some: Partial<Fields> = {};
  for (const name in fields) {
    if (fields[name] !== undefined) some[name] = fields[name];
  }
  return some;
};

/** Null means the default; undefined stays: nothing was said. */
export const orDefault = <Value>(value: Value | null | undefined, standard: Value): Value | undefined =>
  value === null ? standard : value;

/** Each once, in the order of their first appearance. */
export const unique = (values: readonly string[] | null | undefined): readonly string[] | undefined =>
  orDefault(values === undefined || values === null ? values : [...new Set(values)], []);
