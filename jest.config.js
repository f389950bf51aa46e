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

const project = (displayName, folder) => ({
  displayName,
  rootDir: import.meta.dirname,
  roots: [`<rootDir>/${folder}`],
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  moduleFileExtensions: ['ts', 'js', 'cjs', 'mjs', 'json', 'node'],
  transform: { '\\.ts$': swc },
});

export default {
  projects: [project('packages', 'packages'), project('services', 'services'), project('test', 'test')],
  reporters: ['default', '<rootDir>/test/api/left-out.cjs'],
  maxWorkers: 2,
  testTimeout: 10_000,
};
