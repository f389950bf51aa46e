import { chartServices } from './services.ts';
import { sourceOf } from './sources.ts';

const lineLengthMax = 150;

/** Returns the comments of values.yaml about `settings`: each setting with its default, the services that read it, and its meaning. */
export const settingsComments = (): string => {
  const found = new Map<string, { readonly standard: unknown; readonly description: string; readonly readers: string[] }>();
  for (const [key, service] of Object.entries(chartServices)) {
    for (const [name, { default: standard, description = '' }] of Object.entries(service.schema.properties)) {
      if (sourceOf(name, service).from !== 'settings') continue;
      const known = found.get(name) ?? { standard, description, readers: [] as string[] };
      known.readers.push(key);
      found.set(name, known);
    }
  }
  return [...found].map(([name, { standard, description, readers }]) => comment(name, standard, readers, description)).join('\n');
};

const comment = (name: string, standard: unknown, readers: readonly string[], description: string): string => {
  const of = readers.length === Object.keys(chartServices).length ? 'all' : readers.join(', ');
  return [`  # ${name}: ${JSON.stringify(standard)}`, ...wrapped(`${description} (${of})`).map((line) => `  #     ${line}`)].join('\n');
};

const wrapped = (words: string): readonly string[] => {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > lineLengthMax - 10) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};
