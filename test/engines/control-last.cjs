// A jest sequencer with the usual order, except that tests that stop engines run last. Anything they leave behind then affects no other
// test.

const { default: TestSequencer } = require('@jest/test-sequencer');

module.exports = function ControlLast(options) {
  const sequencer = new TestSequencer(options);
  const sort = sequencer.sort.bind(sequencer);
  sequencer.sort = async (tests) => (await sort(tests)).sort((one, other) => isControl(one) - isControl(other));
  return sequencer;
};

const isControl = ({ context }) => Number(context.config.displayName?.name === 'control');
