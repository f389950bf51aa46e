// A jest sequencer: the usual order within groups.

const { readFileSync } = require('node:fs');
const { dirname, sep } = require('node:path');
const { default: TestSequencer } = require('@jest/test-sequencer');

module.exports = function OrderOfTests(options) {
  const sequencer = new TestSequencer(options);
  const sort = sequencer.sort.bind(sequencer);
  sequencer.sort = async (tests) => {
    const groups = new Map(tests.map(({ path }) => [path, groupOf(path)]));
    return (await sort(tests)).sort((one, other) => groups.get(one.path) - groups.get(other.path));
  };
  return sequencer;
};

const testFolder = `${dirname(__dirname)}${sep}`;

/** The groups, from the first to the last. All clusters on one event store have one log, which each of them reads from its start. */
const groups = [
  // Upgrades read all that was written before them.
  (path) => /[/]installation[/][^/]+[.](deploy|soak)[.]test[.]ts$/.test(path),
  // They mostly wait for pods, while others run beside them.
  (path) => path.endsWith('.deploy.test.ts'),
  // They start servers with settings of their own, in the form that is tested.
  (path) => path.includes('/test/api/') && readFileSync(path, 'utf8').includes('describeWith('),
  // Most of them start processes and wait for them. Those of packages and services are short: they keep all workers busy until the end.
  (path) => path.startsWith(testFolder) && !path.endsWith('.control.test.ts'),
  (path) => !path.endsWith('.control.test.ts'),
  // They stop engines: anything that they leave behind then affects no other test.
  () => true,
];

const groupOf = (path) => groups.findIndex((has) => has(path));
