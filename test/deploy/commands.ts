import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const document = join(import.meta.dirname, '../../docs/deploy.md');

/** Returns the lines of the marked block of docs/deploy.md, as they stand there. */
export const documented = (name: 'values' | 'commands'): readonly string[] => {
  const marked = new RegExp(`<!-- ${name}: begin -->\n\`\`\`\\w+\n([^]*?)\n\`\`\`\n<!-- ${name}: end -->`);
  const [, block] = marked.exec(readFileSync(document, 'utf8')) ?? [];
  if (block === undefined) throw new Error(`docs/deploy.md marks no ${name}.`);
  return block.split('\n');
};

/** How many of the commands build the images and push them. */
export const buildCommands = 3;
