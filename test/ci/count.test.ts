import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Status = 'passed' | 'failed' | 'pending';
type Suite = {
  readonly file: string;
  readonly broken: boolean;
  readonly reason?: string;
  readonly tests: readonly { readonly name: string; readonly status: Status; readonly reason?: string }[];
};

const suite = (file: string, tests: Readonly<Record<string, Status>>, broken = false): Suite => ({
  file,
  broken,
  tests: Object.entries(tests).map(([name, status]) => ({ name, status })),
});

describe('The count of all runs', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-count-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const counter = join(import.meta.dirname, 'count.cjs');
  const written = (runs: readonly (readonly Suite[])[]): string[] =>
    runs.map((run, nth) => {
      const file = join(directory, `${nth}.json`);
      writeFileSync(file, JSON.stringify(run));
      return file;
    });
  const output = (args: readonly string[]): { readonly line: string; readonly code: number } => {
    try {
      return { line: execFileSync(process.execPath, [counter, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim(), code: 0 };
    } catch (error) {
      const { stdout, status } = error as { stdout: string; status: number };
      return { line: stdout.trim(), code: status };
    }
  };
  const total = (runs: readonly (readonly Suite[])[], checks = 0, tests = 0) =>
    output(['total', `${checks}`, `${tests}`, ...written(runs)]);

  it('adds up the passed tests of each run', () => {
    expect(total([[suite('a', { one: 'passed' })], [suite('a', { one: 'passed', two: 'passed' })]])).toEqual({
      line: '3 passed, 0 failed',
      code: 0,
    });
  });

  it('does not count a test as skipped if another run executed it, whatever the reason in its name', () => {
    const first = [suite('a', { 'a store (left out: needs ENGINE) keeps': 'pending', other: 'passed' })];
    expect(total([first, [suite('a', { 'a store keeps': 'passed' })]])).toEqual({ line: '2 passed, 0 failed', code: 0 });
  });

  it('counts a test that no run executed once, and fails, even if a test of another file has the same name', () => {
    const left = { 'a store (left out: needs ENGINE) keeps': 'pending' } as const;
    expect(total([[suite('a', { ...left, other: 'passed' })], [suite('a', left), suite('b', { 'a store keeps': 'passed' })]])).toEqual({
      line: '2 passed, 0 failed, 1 skipped',
      code: 1,
    });
  });

  it('counts failed tests, suites that did not load, failed checks and runs without a result', () => {
    const runs = [[suite('a', { one: 'failed', two: 'passed' }), suite('b', {}, true)]];
    expect(total(runs, 1)).toEqual({ line: '1 passed, 3 failed', code: 1 });
    expect(output(['total', '0', '1', ...written(runs.slice(0, 1)), join(directory, 'none.json')])).toEqual({
      line: '1 passed, 3 failed',
      code: 1,
    });
  });

  it('tells each failure with its reason', () => {
    const failing: Suite = { file: 'a', broken: false, tests: [{ name: 'one', status: 'failed', reason: 'it is two' }] };
    const broken: Suite = { file: 'b', broken: true, reason: 'not found', tests: [] };
    const { stderr } = spawnSync(process.execPath, [counter, 'total', '0', '0', ...written([[failing, broken]])], { encoding: 'utf8' });
    expect(stderr.trim().split('\n')).toEqual(['failed: a: one: it is two', 'failed: b: not found']);
  });

  it('counts a repeated file as its repetition ended, and names what passed only then', () => {
    const [file = ''] = written([[suite('a', { one: 'failed', two: 'passed' }), suite('b', { three: 'failed' })]]);
    expect(output(['failed', file]).line).toBe('a\nb');
    const again = join(directory, '0.again.json');
    writeFileSync(again, JSON.stringify([suite('a', { one: 'passed', two: 'passed' }), suite('b', { three: 'failed' })]));
    const { stdout, stderr } = spawnSync(process.execPath, [counter, 'total', '0', '0', file], { encoding: 'utf8' });
    rmSync(again);
    expect(stdout.trim()).toBe('2 passed, 1 failed');
    expect(stderr.trim().split(/ ?\n/)).toEqual(['passed only when it was repeated alone: a: one:', 'failed: b: three:']);
  });

  it('counts a failure of jest itself if no test failed', () => {
    expect(total([[suite('a', { one: 'passed' })]], 0, 1)).toEqual({ line: '1 passed, 1 failed', code: 1 });
  });

  it('counts a run that executed nothing as a failure', () => {
    expect(total([[suite('a', { one: 'passed' })], []])).toEqual({ line: '1 passed, 1 failed', code: 1 });
  });

  it('names the files in which a run left tests out', () => {
    const [file = ''] = written([[suite('a', { one: 'passed' }), suite('b', { one: 'passed', two: 'pending' })]]);
    expect(output(['left-out', file]).line).toBe('b');
  });
});
