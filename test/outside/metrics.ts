/** Returns the names, types and labels of the metrics of a process. Values, help texts and the metrics of every Node process are left out. */
export const metricsIn = (exposed: string): Readonly<Record<string, string>> => {
  const lines = exposed.split('\n');
  const types = new Map(lines.flatMap((line) => (/^# TYPE waymark_/.exec(line) ? [typeIn(line)] : [])));
  const labels = new Map<string, Set<string>>();
  for (const line of lines) {
    const [, sample = '', inner = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    const name = types.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '');
    if (!types.has(name)) continue;
    const known = labels.get(name) ?? new Set();
    for (const [, label = ''] of inner.matchAll(/(\w+)="/g)) known.add(label);
    labels.set(name, known);
  }
  return Object.fromEntries([...types].sort().map(([name, type]) => [name, [type, ...[...(labels.get(name) ?? [])].sort()].join(' ')]));
};

const typeIn = (line: string): readonly [string, string] => {
  const [, , name = '', type = ''] = line.split(' ');
  return [name, type];
};
