import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inherited } from '../engines/environment.ts';
import { patienceMs, useDesk } from './waymark.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Returns the shell commands of a section of the README. */
const commandsOf = (section: string): string => {
  const [, text = ''] = new RegExp(`^## ${section}$[^]*?\`\`\`sh\n([^]*?)\`\`\``, 'm').exec(readme) ?? [];
  return text;
};

describe("The README's first calls", () => {
  const desk = useDesk();

  it(
    'work when pasted',
    async () => {
      const server = await desk.serve();
      const pasted = commandsOf('First calls');
      expect(pasted).toContain('http://127.0.0.1:8080/v3.0/pinpoints');
      const commands = pasted
        .replaceAll('http://127.0.0.1:8080', server.api)
        .replaceAll('npx waymark', `'${process.execPath}' '${join(root, 'services/cli/waymark.cjs')}'`);
      const env = { ...inherited, WAYMARK_DATA_DIR: desk.directory };
      const { stdout } = await promisify(execFile)('sh', ['-e', '-u', '-c', commands], { cwd: root, env });
      const [created = '', page = ''] = stdout.split(/(?<=\})(?=\{)/);
      expect(JSON.parse(created)).toMatchObject({ name: 'Harbour', latitude: 54.32, tags: ['sea'] });
      expect(JSON.parse(page)).toMatchObject({ results: [JSON.parse(created)], next: null });
      await server.stop();
    },
    patienceMs,
  );
});
