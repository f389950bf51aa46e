// A jest reporter that writes the result of each test to the file named by WAYMARK_TEST_RESULTS. `.ci/run` counts the results of all its
// runs.

const { writeFileSync } = require('node:fs');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');

const REASON_CHARACTERS_MAX = 200;

/** Returns why a test or a suite failed, on one line; undefined if it did not. */
const reasonOf = (message) => {
  const text = stripVTControlCharacters(message ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : text.slice(0, REASON_CHARACTERS_MAX);
};

module.exports = function Results({ rootDir }) {
  return {
    onRunComplete: (_, { testResults }) => {
      const file = process.env.WAYMARK_TEST_RESULTS;
      if (!file) return;
      const suites = testResults.map(({ testFilePath, testExecError, testResults: tests }) => ({
        file: path.relative(rootDir, testFilePath),
        // A suite that did not load has no tests. A suite that failed outside of its tests has them, and may report its error here, too.
        broken: testExecError !== undefined || tests.length === 0,
        reason: reasonOf(testExecError?.message),
        tests: tests.map(({ fullName, status, failureMessages }) => ({ name: fullName, status, reason: reasonOf(failureMessages[0]) })),
      }));
      writeFileSync(file, JSON.stringify(suites));
    },
  };
};
