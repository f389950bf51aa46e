// A jest reporter that writes the result of each test to the file named by WAYMARK_TEST_RESULTS. `.ci/run` counts the results of all its
// runs.

const { writeFileSync } = require('node:fs');
const path = require('node:path');

module.exports = function Results({ rootDir }) {
  return {
    onRunComplete: (_, { testResults }) => {
      const file = process.env.WAYMARK_TEST_RESULTS;
      if (!file) return;
      const suites = testResults.map(({ testFilePath, testExecError, testResults: tests }) => ({
        file: path.relative(rootDir, testFilePath),
        // A suite that did not load has no tests. A suite that failed outside of its tests has them, and may report its error here, too.
        broken: testExecError !== undefined || tests.length === 0,
        tests: tests.map(({ fullName, status }) => ({ name: fullName, status })),
      }));
      writeFileSync(file, JSON.stringify(suites));
    },
  };
};
