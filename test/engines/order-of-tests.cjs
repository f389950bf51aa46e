// A jest sequencer with the usual order, with two exceptions. Tests that stop engines run last: anything they leave behind then affects no other
// test. Tests that upgrade an installation run first: each upgrade reads all that was written before it.

const { default: TestSequencer } = require('@jest/test-sequencer');

module.exports = function OrderOfTests(options) {
  const sequencer = new TestSequencer(options);
  const sort = sequencer.sort.bind(sequencer);
  sequencer.sort = async (tests) => (await sort(tests)).sort((one, other) => rank(one) - rank(other));
  return sequencer;
};

const rank = ({ path }) => {
  if (/[.](deploy|soak)[.]test[.]ts$/.test(path)) return 0;
  return path.endsWith('.control.test.ts') ? 2 : 1;
};
