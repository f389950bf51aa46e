// A jest reporter: what was left out, and why, once, at the end of the run. Tests say it in their names.

module.exports = function LeftOut() {
  return {
    onRunComplete: (_, { testResults }) => {
      const names = testResults.flatMap(({ testResults: tests }) => tests).map(({ fullName }) => fullName);
      const left = names.filter((name) => name.includes('(left out: '));
      if (left.length > 0) process.stderr.write(`\nLeft out:\n${left.map((name) => `  ${name}\n`).join('')}`);
    },
  };
};
