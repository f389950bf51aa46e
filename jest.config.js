// Sources are ES modules, run by Node as they are; jest has swc turn them into CommonJS, which it runs several times faster.
// `tsc` checks the types (npm run check).

const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
    // A CommonJS library looks the same as it does to Node: its `default` is what it exports.
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
const others = ['**/*.test.ts', `!${controlTests}`];

export default {
  projects: [
    project('packages', ['packages'], others),
    project('services', ['services'], others),
    project('test', ['test'], others),
    // What kills, pauses and wipes engines disturbs whoever uses them at the same time: one file after the other, when all else is done.
    { ...project('control', ['packages', 'services', 'test'], [controlTests]), runner: '<rootDir>/test/engines/one-at-a-time.cjs' },
  ],
  globalSetup: '<rootDir>/test/engines/up.cjs',
  globalTeardown: '<rootDir>/test/engines/down.cjs',
  testSequencer: '<rootDir>/test/engines/control-last.cjs',
  reporters: ['default', '<rootDir>/test/api/left-out.cjs', '<rootDir>/test/ci/results.cjs'],
  // Many tests wait for processes that they started: two cores have work for three.
  maxWorkers: 3,
  // Catches what hangs, on a slow machine, too: no test fails because it takes long.
  testTimeout: 600_000,
};
