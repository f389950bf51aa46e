// A jest sequencer: as ever, but that tests which stop engines come last. What they might leave behind then spoils no other test.

const { default: TestSequencer } = require('@jest/test-sequencer');

module.exports = function ControlLast(options) {
  const sequencer = new TestSequencer(options);
  const sort = sequencer.sort.bind(sequencer);
  sequencer.sort = async (tests) => (await sort(tests)).sort((one, other) => isControl(one) - isControl(other));
  return sequencer;
};

const isControl = ({ context }) => Number(context.config.displayName?.name === 'control');
