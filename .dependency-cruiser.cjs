'use strict';
// The imports that each package may have. ARCHITECTURE.md draws the same picture.

/** The packages that each package may import. */
const IMPORTS = {
  domain: [],
  files: [],
  signing: [],
  threads: [],
  timing: [],
  redis: ['timing'],
  'event-log': ['domain', 'files', 'signing', 'threads', 'timing'],
  broker: ['domain', 'event-log', 'signing', 'timing'],
  'read-models': ['domain', 'signing', 'timing'],
  history: ['domain', 'event-log', 'read-models', 'timing'],
  media: ['domain', 'files'],
  http: ['domain'],
  access: ['domain', 'event-log', 'files', 'http', 'read-models', 'signing', 'threads', 'timing'],
  transfer: ['domain', 'files', 'media'],
  operations: ['access', 'domain', 'event-log', 'history', 'http', 'media', 'transfer'],
  runtime: ['files', 'http', 'timing'],
  'cluster-runtime': [
    ...[
      'access',
      'broker',
      'domain',
      'event-log',
      'files',
      'history',
      'http',
      'media',
      'operations',
      'read-models',
      'redis',
      'runtime',
      'signing',
      'timing',
    ],
  ],
};

const TESTS = ['[.]test[.]ts$', '^test/', '^packages/[^/]+/(testing|contract)/', '^services/[^/]+/testing/'];
const TECHNOLOGIES = 'sqlite|disk|eventstoredb|kafka|mongodb|gridfs|s3|redis';
/** An adapter is a folder that is named after its technology. */
const ADAPTERS = [
  `^packages/[^/]+/(${TECHNOLOGIES})/`,
  `^packages/(access/tokens|read-models/visibility)/(sqlite|redis|event-log)/`,
  '^packages/redis/',
];
/** The history is beside the read models in MongoDB, and shares their control of generations. */
const SHARING = ['^packages/history/mongodb/'];
/** The files in which a process chooses its adapters. */
const COMPOSITION = [
  '^services/standalone/',
  '^services/operator/',
  '^services/[^/]+/main[.]ts$',
  ...['connections', 'cluster-context', 'reader-registration', 'kafka-metrics', 'installation-redis', 'join', 'history-reads'].map(
    (name) => `^packages/cluster-runtime/${name}[.]ts$`,
  ),
];

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const packageImports = ([name, imports]) =>
  forbid(
    `${name}-imports`,
    `packages/${name} may import ${imports.length === 0 ? 'no other package' : imports.join(', ')}, and no service.`,
    { path: `^packages/${name}/`, pathNot: TESTS },
    { path: '^(packages|services)/', pathNot: [name, ...imports].map((one) => `^packages/${one}/`) },
  );

module.exports = {
  forbidden: [
    forbid('no-cycle', 'These files import each other. Merge them, or invert one import.', {}, { circular: true }),
    forbid('resolves', 'The file does not exist, or package.json lacks the dependency.', {}, { couldNotResolve: true }),
    ...Object.entries(IMPORTS).map(packageImports),
    forbid(
      'domain-is-pure',
      'The domain may import only the crypto module of Node, for hashes, and no library.',
      { path: '^packages/domain/', pathNot: TESTS },
      { pathNot: ['^packages/domain/', '^crypto$'] },
    ),
    forbid(
      'services-stand-alone',
      'Put code that two services need into a package. Standalone combines the services through their app.ts; the command line starts both forms.',
      { path: '^services/([^/]+)/', pathNot: [...TESTS, '^services/standalone/', '^services/cli/'] },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    forbid(
      'standalone-imports-apps',
      'Standalone may import other services only through their app.ts.',
      { path: '^services/standalone/', pathNot: TESTS },
      { path: '^services/', pathNot: ['^services/standalone/', '^services/[^/]+/app[.]ts$'] },
    ),
    forbid(
      'cli-imports-both-forms',
      'The command line may import only standalone and the entry point of the cluster. For everything else it calls the running server.',
      { path: '^services/cli/', pathNot: TESTS },
      { path: '^services/', pathNot: ['^services/(cli|standalone)/', '^services/cluster/main[.]ts$'] },
    ),
    forbid(
      'adapters-stay-inside',
      'A process chooses its adapters in its composition root, and nowhere else.',
      { path: '^(packages|services)/([^/]+)/', pathNot: [...TESTS, ...COMPOSITION, ...SHARING] },
      { path: ADAPTERS, pathNot: '^packages/$2/' },
    ),
    forbid(
      'test-code-is-for-tests',
      'Only tests may import tests, contracts, code in testing/ folders and packages/test-engines.',
      { pathNot: [...TESTS, '^packages/test-engines/'] },
      { path: [...TESTS, '^packages/test-engines/'] },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/(?!@waymark/)' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
