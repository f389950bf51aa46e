// Counts the tests of several runs together:
//
//     node test/ci/count.cjs total CHECKS TESTS RUN…    the closing line; CHECKS: failed checks outside of jest; TESTS: 1 where jest itself failed, else 0
//     node test/ci/count.cjs left-out RUN               the test files in which this run left something out
//     node test/ci/count.cjs failed RUN                 the test files in which a test of this run failed
//
// RUN: a file NAME.json that `results.cjs` wrote. A run without one counts as a failure. NAME.again.json has the files that were repeated, if there are
// any: their results count in place of the first ones.

const { readFileSync } = require('node:fs');

const LEFT_OUT = / \(left out: [^)]*\)/g;
const executed = new Set(['passed', 'failed']);

/** Returns the key of a test. It is the same in every run, whether or not the run left the test out. */
const keyOf = (file, name) => `${file}\0${name.replace(LEFT_OUT, '')}`;

const testsOf = (run) => run.flatMap(({ file, tests }) => tests.map(({ name, status }) => ({ key: keyOf(file, name), status })));

/** Counts tests.
 * @param runs the suites of each run; undefined if the run wrote no result
 * @returns the number of passed and of failed tests over all runs, and the tests that no run executed */
const countOf = (runs) => {
  const present = runs.filter((run) => run !== undefined);
  const tests = present.flatMap(testsOf);
  const done = new Set(tests.filter(({ status }) => executed.has(status)).map(({ key }) => key));
  const broken = present.flat().filter((suite) => suite.broken).length;
  const empty = runs.filter((run) => run === undefined || !testsOf(run).some(({ status }) => executed.has(status))).length;
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: tests.filter(({ status }) => status === 'failed').length + broken + empty,
    skipped: [...new Set(tests.map(({ key }) => key))].filter((key) => !done.has(key)),
  };
};

/** Returns the files with a test that the run did not execute. */
const leftOutFiles = (run) => run.filter(({ tests }) => tests.some(({ status }) => !executed.has(status))).map(({ file }) => file);

/** Returns a line for each failed test and each broken suite. */
const failuresOf = (runs) =>
  runs.flat().flatMap(({ file, broken, reason, tests }) => {
    const failed = tests.filter(({ status }) => status === 'failed').map((test) => `${file}: ${test.name}: ${test.reason ?? ''}`);
    return broken ? [`${file}: ${reason ?? 'no tests'}`, ...failed] : failed;
  });

const hasFailed = ({ broken, tests }) => broken || tests.some(({ status }) => status === 'failed');

/** Returns a run with the suites of its repetition in place of those that it repeats. */
const repeatedBy = (run, again) => run?.map((suite) => again.find(({ file }) => file === suite.file) ?? suite);

/** Returns a line for each failure of the run that its repetition does not have. */
const passedAgain = (run, again) =>
  failuresOf([(run ?? []).filter(({ file }) => again.some((suite) => suite.file === file && !hasFailed(suite)))]);

const FAILURES_TOLD_MAX = 100;

const read = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

const total = (checks, tests, files) => {
  const repetitions = files.map((file) => read(file.replace(/[.]json$/, '.again.json')) ?? []);
  const runs = files.map((file, nth) => repeatedBy(read(file), repetitions[nth]));
  const { passed, failed: failedTests, skipped } = countOf(runs);
  // A failure of jest that is not a failed test, such as an error after the last test, counts as one failed test.
  const failed = Math.max(failedTests, tests) + checks;
  const passedAlone = files.flatMap((file, nth) => passedAgain(read(file), repetitions[nth]));
  for (const failure of passedAlone) console.error(`passed only when it was repeated alone: ${failure}`);
  const failures = failuresOf(runs.filter((run) => run !== undefined));
  for (const failure of failures.slice(0, FAILURES_TOLD_MAX)) console.error(`failed: ${failure}`);
  if (failures.length > FAILURES_TOLD_MAX) console.error(`and ${failures.length - FAILURES_TOLD_MAX} more`);
  for (const key of skipped) console.error(`left out by every run: ${key.replace('\0', ': ')}`);
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  // In continuous integration no test may be left out.
  process.exitCode = failed > 0 || skipped.length > 0 ? 1 : 0;
};

module.exports = { countOf, leftOutFiles };

if (require.main === module) {
  const [command, ...args] = process.argv.slice(2);
  if (command === 'total') total(Number(args[0]), Number(args[1]), args.slice(2));
  else {
    const files = command === 'failed' ? (run) => run.filter(hasFailed).map(({ file }) => file) : leftOutFiles;
    for (const file of files(read(args[0]) ?? [])) console.log(file);
  }
}
