// A jest reporter: writes what became of each test to the file that WAYMARK_TEST_RESULTS names, for `.ci/run` to count over all its runs.

const { writeFileSync } = require('node:fs');
const path = require('node:path');

module.exports = function Results({ rootDir }) {
  return {
    onRunComplete: (_, { testResults }) => {
      const file = process.env.WAYMARK_TEST_RESULTS;
      if (!file) return;
      const suites = testResults.map(({ testFilePath, testExecError, testResults: tests }) => ({
        file: path.relative(rootDir, testFilePath),
        // A suite that did not load has no tests; one that failed around its tests has them, and may say so here, too.
        broken: testExecError !== undefined || tests.length === 0,
        tests: tests.map(({ fullName, status }) => ({ name: fullName, status })),
      }));
      writeFileSync(file, JSON.stringify(suites));
    },
  };
};
