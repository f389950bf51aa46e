/** What is wrong, in words: the messages of an answer, each after the field that it is about. */
export const messages = (problems: unknown, path = ''): readonly string[] => {
  if (Array.isArray(problems)) return problems.flatMap((problem) => messages(problem, path));
  if (typeof problems !== 'object' || problems === null) return [path === '' ? String(problems) : `${path}: ${problems}`];
  return Object.entries(problems).flatMap(([name, inner]) => messages(inner, general.has(name) ? path : `${path}${path && '.'}${name}`));
};

/** Names that say nothing about where. */
const general = new Set(['detail', 'non_field_errors']);
