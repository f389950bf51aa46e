// Runs after all tests of a run (jest's globalTeardown): stops and removes the started containers.

module.exports = async () => {
  const register = process.env.WAYMARK_TEST_CONTAINERS;
  if (!register) return;
  const { removeContainers } = await import('./containers.ts');
  await removeContainers(register);
};
