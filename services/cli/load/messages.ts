/** Returns the messages of a response that reports errors, each after the name of its field. */
export const messages = (problems: unknown, path = ''): readonly string[] => {
  if (Array.isArray(problems)) return problems.flatMap((problem) => messages(problem, path));
  if (typeof problems !== 'object' || problems === null) return [path === '' ? String(problems) : `${path}: ${problems}`];
  return Object.entries(problems).flatMap(([name, inner]) => messages(inner, general.has(name) ? path : `${path}${path && '.'}${name}`));
};

/** Names that do not identify a field. */
const general = new Set(['detail', 'non_field_errors']);
