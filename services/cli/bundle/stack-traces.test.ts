import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

describe('A stack trace of a bundle', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-traces-')));
  afterAll(() => rmSync(folder, { recursive: true }));
  const source = join(folder, 'source.ts');

  const failureOf = async (content: string): Promise<string> => {
    writeFileSync(source, content);
    const outfile = join(folder, 'bundled.mjs');
    const inject = [join(import.meta.dirname, 'preload/main.ts')];
    await build({ entryPoints: [source], inject, outfile, bundle: true, format: 'esm', platform: 'node', sourcemap: 'external' });
    return spawnSync(process.execPath, [outfile], { encoding: 'utf8' }).stderr;
  };

  it('names the sources', async () => {
    const trace = await failureOf('type Id = number;\n\nconst fail = (id: Id) => {\n  throw new TypeError("wrong " + id);\n};\nfail(7);\n');
    expect(trace).toContain('TypeError: wrong 7');
    expect(trace).toContain(`at fail (${source}:4:9)`);
    expect(trace).toContain(`at ${source}:6:1`);
  });

  it('names what has no source map', async () => {
    const trace = await failureOf(`import { readFileSync } from 'node:fs';\nreadFileSync('/no/such/file');\n`);
    expect(trace).toMatch(/at .*\(node:fs:\d+:\d+\)/);
    expect(trace).toContain(`${source}:2:1`);
  });
});
