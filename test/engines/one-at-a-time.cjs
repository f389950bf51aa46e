// A jest runner: one test file at a time, in a process of its own. Jest runs one runner's files after the other's, so that nobody else is at work.

const { default: TestRunner } = require('jest-runner');

module.exports = function OneAtATime(globalConfig, context) {
  return new TestRunner({ ...globalConfig, maxWorkers: 1 }, context);
};
