// Runs before all tests of a run (jest's globalSetup): starts the engines that the tests need and that no variable names, in containers, if
// a Docker daemon answers. Engines that could not be started are reported at the end, with the tests that were left out because of them
// (left-out.cjs).

const path = require('node:path');

const control = path.join(__dirname, 'control/main.ts');

module.exports = async ({ rootDir, testPathPatterns }) => {
  const { wanted } = await import('./wanted.ts');
  const engines = wanted(rootDir, (file) => testPathPatterns.toExecutor({ rootDir }).isMatch(file));
  if (engines.length === 0) return;
  const { startContainers } = await import('./containers.ts');
  const { engineVariables } = await import('@waymark/test-engines/test-engines.ts');
  const otherwise = process.env.WAYMARK_ENGINES_CONTROL;
  const started = await startContainers(engines, otherwise);
  if (!started) {
    process.env.WAYMARK_TEST_NOT_STARTED = 'no Docker daemon is available to start engines';
    return;
  }
  process.env.WAYMARK_TEST_CONTAINERS = started.register;
  for (const [engine, url] of Object.entries(started.urls)) process.env[engineVariables[engine]] = url;
  // This run must not stop engines that it did not start.
  const others = Object.keys(engineVariables).filter((engine) => /URL|BROKERS/.test(engineVariables[engine]) && !(engine in started.urls));
  if (otherwise || !others.some((engine) => process.env[engineVariables[engine]])) process.env.WAYMARK_ENGINES_CONTROL = control;
  process.env.WAYMARK_TEST_NOT_STARTED = started.failures.join('\n  ');
};
