// A jest reporter. At the end of the run it lists which tests were left out, and why. The reason is in the names of the tests.

const LEFT_OUT = /^.*?\(left out: [^)]*\)/;

module.exports = function LeftOut() {
  return {
    onRunComplete: (_, { testResults }) => {
      const names = testResults.flatMap(({ testResults: tests }) => tests).map(({ fullName }) => fullName);
      const left = Map.groupBy(
        names.filter((name) => LEFT_OUT.test(name)),
        (name) => LEFT_OUT.exec(name)[0],
      );
      if (left.size === 0) return;
      const lines = [...left].map(([suite, tests]) => (tests.length > 1 ? `  ${suite}: ${tests.length} tests\n` : `  ${tests[0]}\n`));
      const reason = process.env.WAYMARK_TEST_NOT_STARTED;
      process.stderr.write(`\nLeft out:\n${lines.join('')}${reason ? `Engines not started by Docker: ${reason}\n` : ''}`);
    },
  };
};
