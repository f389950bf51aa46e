import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { engineVariables, urlOf } from '@waymark/test-engines/test-engines.ts';

const root = join(import.meta.dirname, '../..');
const noEngines = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WAYMARK_')));

/** So that jest runs the tests that `npm test` does not load. All others it loads without engines itself, and leaves out. */
const everyTest = { WAYMARK_SOAK: '1', WAYMARK_TEST_INSTALLATION: 'none/none' };

type Report = { readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[] };

/** Makes jest load test files without engines, and run none of their tests.
 * @returns the files that did not load, with the reasons */
const failedToLoad = async (files: readonly string[]): Promise<readonly string[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-loading-'));
  const report = join(directory, 'report.json');
  const flags = [
    '--testNamePattern',
    '^no test has this name$',
    '--json',
    '--outputFile',
    report,
    '--reporters',
    join(root, 'test/ci/results.cjs'),
  ];
  const jest = ['--experimental-vm-modules', join(root, 'node_modules/jest/bin/jest.js'), ...flags, '--runTestsByPath', ...files];
  try {
    await promisify(execFile)(process.execPath, jest, {
      cwd: root,
      env: { ...noEngines, ...everyTest, DOCKER_HOST: 'unix:///nonexistent' },
    }).catch(() => undefined);
    const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
    expect(testResults).toHaveLength(files.length);
    return testResults.filter(({ status }) => status === 'failed').map(({ name, message }) => `${name}: ${message}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
};

describe('A test file that needs engines', () => {
  it('loads without them', async () => {
    const files = globSync('{packages,services,test}/**/*.{deploy,soak}.test.ts', { cwd: root, exclude: ['**/node_modules'] });
    expect(files.length).toBeGreaterThan(0);
    expect(await failedToLoad(files.map((file) => join(root, file)))).toEqual([]);
  });

  let asked: unknown;
  describe('and reads the URL of an engine while its tests are collected', () => {
    const before = process.env[engineVariables.redis];
    process.env[engineVariables.redis] = 'redis://127.0.0.1:1';
    try {
      asked = urlOf('redis');
    } catch (error) {
      asked = error;
    }
    if (before === undefined) delete process.env[engineVariables.redis];
    else process.env[engineVariables.redis] = before;

    it('gets an error, even if there are engines', () => {
      expect(asked).toBeInstanceOf(Error);
    });
  });
});
