// A jest runner that runs one test file at a time, in a separate process. Jest runs the files of one runner after those of another, so that
// no other test runs at the same time.

const { default: TestRunner } = require('jest-runner');

module.exports = function OneAtATime(globalConfig, context) {
  return new TestRunner({ ...globalConfig, maxWorkers: 1 }, context);
};
