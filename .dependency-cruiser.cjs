'use strict';
// The imports that each package may have. ARCHITECTURE.md draws the same picture.

/** The packages that each package may import. */
const IMPORTS = {
  caches: [],
  domain: [],
  files: [],
  s3: [],
  signing: [],
  threads: [],
  timing: [],
  redis: ['timing'],
  'event-log': ['domain', 'files', 'signing', 'threads', 'timing'],
  proof: ['domain', 'event-log'],
  checkpoints: ['domain', 'event-log', 'files', 'proof', 's3'],
  broker: ['domain', 'event-log', 'signing', 'timing'],
  'read-models': ['caches', 'domain', 'signing', 'timing'],
  history: ['caches', 'domain', 'event-log', 'read-models', 'timing'],
  'proof-store': ['domain', 'event-log', 'files', 'proof', 'read-models'],
  media: ['domain', 'files', 's3'],
  http: ['caches', 'domain'],
  access: ['caches', 'domain', 'event-log', 'files', 'http', 'read-models', 'signing', 'threads', 'timing'],
  transfer: ['domain', 'files', 'media'],
  operations: ['access', 'checkpoints', 'domain', 'event-log', 'history', 'http', 'media', 'proof', 'transfer'],
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
      'proof-store',
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
/** The history and the proof store are beside the read models in MongoDB, and share their client. */
const SHARING = ['^packages/(history|proof-store)/mongodb/'];
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
      'The command line may import only standalone, and of the cluster its entry point, those of the services, and what it takes along when it moves. For everything else it calls the running server.',
      { path: '^services/cli/', pathNot: TESTS },
      { path: '^services/', pathNot: ['^services/(cli|standalone)/', '^services/cluster/(main|moving|service-entries)[.]ts$'] },
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
