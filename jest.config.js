// The sources are ES modules that Node runs unchanged. For the tests, swc compiles them to CommonJS, which jest runs several times faster.
// `tsc` checks the types (npm run check).

import { availableParallelism } from 'node:os';

const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
    // A CommonJS library looks the same as under Node: its `default` import is what the library exports.
    module: { type: 'commonjs', importInterop: 'node' },
    sourceMaps: 'inline',
  },
];

const project = (displayName, folders, testMatch) => ({
  displayName,
  rootDir: import.meta.dirname,
  roots: folders.map((folder) => `<rootDir>/${folder}`),
  testEnvironment: 'node',
  testMatch,
  moduleFileExtensions: ['ts', 'js', 'cjs', 'mjs', 'json', 'node'],
  transform: { '\\.ts$': swc },
});

const controlTests = '**/*.control.test.ts';
/** `npm run test:deploy` runs them, and names its installation. */
const deployTests = '**/*.deploy.test.ts';
/** They upgrade that installation, or stop its engines. */
const installationTests = '**/installation/*.deploy.test.ts';
/** `npm run soak` runs them. */
const soakTests = '**/*.soak.test.ts';
const others = ['**/*.test.ts', ...[controlTests, deployTests, soakTests].map((tests) => `!${tests}`)];
const ifInstalled = (...tests) => (process.env.WAYMARK_TEST_INSTALLATION ? tests : []);
const alone = [controlTests, ...ifInstalled(installationTests), ...(process.env.WAYMARK_SOAK ? [soakTests] : [])];

export default {
  projects: [
    project('packages', ['packages'], others),
    project('services', ['services'], others),
    project('test', ['test'], [...others, ...ifInstalled(deployTests, `!${installationTests}`)]),
    // They kill, pause and wipe engines, or change what others use, which would disturb other tests: one file at a time, and none beside it.
    { ...project('control', ['packages', 'services', 'test'], alone), runner: '<rootDir>/test/engines/one-at-a-time.cjs' },
  ],
  globalSetup: '<rootDir>/test/engines/up.cjs',
  globalTeardown: '<rootDir>/test/engines/down.cjs',
  testSequencer: '<rootDir>/test/engines/order-of-tests.cjs',
  reporters: ['default', '<rootDir>/test/api/left-out.cjs', '<rootDir>/test/ci/results.cjs'],
  // Many tests wait for processes that they started: a core serves two workers. The limit bounds their memory.
  maxWorkers: Math.min(2 * availableParallelism(), 8),
  // Stops a test that hangs. The limit is high enough for a slow machine: no test fails because it takes long.
  testTimeout: 600_000,
};
