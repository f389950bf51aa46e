import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

// The paths of test files decide which tests run. No test file may be left out, and the tests that a step of CI requests must exist.

const root = join(import.meta.dirname, '../..');
const everyTest = (directory: string): readonly string[] =>
  globSync('**/*.test.ts', { cwd: directory, exclude: ['**/node_modules', '**/.toolchain'] }).sort();

/** Returns the test files that no project of jest runs, with those of a cluster on Kubernetes and of the soak. */
const testsNotRun = (directory: string): readonly string[] => {
  const bin = join(root, 'node_modules/jest/bin/jest.js');
  const { stdout, stderr } = spawnSync(process.execPath, [bin, '--listTests'], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, WAYMARK_SOAK: '1', WAYMARK_TEST_INSTALLATION: 'none/none' },
  });
  if (stdout === '') throw new Error(stderr);
  const run = new Set(
    stdout
      .trim()
      .split('\n')
      .map((file) => relative(directory, file)),
  );
  return everyTest(directory).filter((file) => !run.has(file));
};

describe("The projects of jest's configuration", () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-projects-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('include every test file', () => expect(testsNotRun(root)).toEqual([]));

  it('are reported if they leave out a test file', () => {
    cpSync(join(root, 'jest.config.js'), join(directory, 'jest.config.js'));
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    for (const file of globSync('test/**/*.cjs', { cwd: root, exclude: ['**/node_modules'] }))
      cpSync(join(root, file), join(directory, file));
    for (const folder of ['packages/one', 'services/one', 'test/one', 'deploy/one']) {
      mkdirSync(join(directory, folder), { recursive: true });
      writeFileSync(join(directory, folder, 'some.test.ts'), '');
    }
    expect(testsNotRun(directory)).toEqual(['deploy/one/some.test.ts']);
  });
});

describe('CI', () => {
  const patterns = [...readFileSync(join(root, '.ci/run'), 'utf8').matchAll(/(?<=[ '])\/(?:test|\()[^ '"\n]*/g)].map(
    ([pattern]) => pattern,
  );

  it('requests tests', () => expect(patterns.length).toBeGreaterThan(5));

  it.each(patterns)('requests tests that exist: %s', (pattern) => {
    const asked = new RegExp(pattern);
    expect(everyTest(root).some((file) => asked.test(`/${file}`))).toBe(true);
  });
});
