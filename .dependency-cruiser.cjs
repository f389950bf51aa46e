'use strict';
// The arrows of ARCHITECTURE.md: who may import whom.

const TESTS = ['[.]test[.]ts$', '^test/', '^packages/[^/]+/contract/'];
/** What only tests use. */
const TESTING = '^(packages|services)/[^/]+/testing/';
/** One file of each package says what the port is; its folders named after a technology implement it. */
const PORT_FILES = { 'event-log': 'event-log', 'read-models': 'read-models', media: 'media', tokens: 'token-store' };
const PORTS = Object.keys(PORT_FILES).join('|');
const PORT_TYPES = Object.entries(PORT_FILES).map(([port, file]) => `^packages/${port}/${file}[.]ts$`);
const TECHNOLOGIES = ['sqlite', 'disk', 'eventstoredb', 'kafka', 'mongodb', 'gridfs', 's3', 'redis'];
const ADAPTERS = [
  ...TECHNOLOGIES.map((technology) => `^packages/(?:${PORTS}|http)/${technology}/`),
  '^packages/read-models/visibility/redis/',
  '^packages/tokens/event-log/',
  '^packages/redis/',
];
/** Tokens that are events. */
const TOKENS_IN_THE_LOG = ['event-log', 'redis'].map((folder) => `^packages/tokens/${folder}/`);
/** Where a process is put together; standalone and operator are nothing else. */
const COMPOSITION = [
  '^services/standalone/',
  '^services/operator/',
  '^services/[^/]+/main[.]ts$',
  ...['engines', 'world', 'reading', 'kafka-metrics', 'installation-redis', 'join'].map((name) => `^packages/process/${name}[.]ts$`),
];

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('no-cycle', 'What knows each other is one thing: merge it, or turn one arrow round.', {}, { circular: true }),
    forbid('resolves', 'It is not there, or no dependency of the package that imports it.', {}, { couldNotResolve: true }),
    forbid(
      'domain-imports-nothing',
      'The rules are pure: of all that Node has, a hash.',
      { path: '^packages/domain/', pathNot: [...TESTS, TESTING] },
      { pathNot: ['^packages/domain/', '^crypto$'] },
    ),
    forbid(
      'ports-import-the-domain',
      'A port speaks of the domain; its adapters also write files and sign what they store, and use nothing else of ours.',
      { path: `^packages/(${PORTS})/`, pathNot: [...TESTS, TESTING, ...TOKENS_IN_THE_LOG] },
      { path: '^(packages|services)/', pathNot: ['^packages/(domain|files|signing)/', '^packages/$1/'] },
    ),
    forbid(
      'files-import-nothing',
      'How a file is written safely has nothing to do with its content.',
      { path: '^packages/files/', pathNot: TESTS },
      { path: '^(packages|services)/', pathNot: '^packages/files/' },
    ),
    forbid(
      'tokens-in-the-log-import-its-port',
      'Where tokens are events, they know what a log is and how an event is sealed; not which log it is.',
      { path: TOKENS_IN_THE_LOG, pathNot: TESTS },
      { path: '^(packages|services)/', pathNot: ['^packages/(domain|signing|tokens)/', '^packages/event-log/(event-log|seal)[.]ts$'] },
    ),
    forbid(
      'http-imports-port-types',
      'The edge knows the domain and what the ports are, not what is behind them.',
      { path: '^packages/http/', pathNot: TESTS },
      { path: '^(packages|services)/', pathNot: ['^packages/(domain|http)/', ...PORT_TYPES] },
    ),
    forbid('packages-import-no-service', 'Services are made of packages.', { path: '^packages/' }, { path: '^services/' }),
    forbid(
      'services-stand-alone',
      'What two services need is a package. Only standalone and operator put them together, by their app.ts; the command line starts standalone.',
      { path: '^services/([^/]+)/', pathNot: TESTS },
      {
        path: '^services/',
        pathNot: ['^services/$1/', '^services/[^/]+/app[.]ts$', '^services/standalone/[^/]+[.]ts$', '^services/cluster/main[.]ts$'],
      },
    ),
    forbid(
      'only-standalone-imports-apps',
      'Only standalone and operator put services together.',
      { path: '^services/(?!standalone/|operator/|cli/)([^/]+)/', pathNot: TESTS },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    forbid(
      'the-command-line-imports-standalone',
      'It starts the product, in either form; everything else it asks the running server.',
      { path: '^services/cli/', pathNot: TESTS },
      { path: '^services/', pathNot: ['^services/(cli|standalone)/', '^services/cluster/main[.]ts$'] },
    ),
    forbid(
      'adapters-stay-inside',
      'Which technology stands behind a port is decided where a process is put together.',
      { path: '^(packages|services)/([^/]+)/', pathNot: [...TESTS, TESTING, ...COMPOSITION] },
      { path: ADAPTERS, pathNot: '^packages/$2/' },
    ),
    forbid('contracts-are-for-tests', 'A contract suite is a test.', { pathNot: TESTS }, { path: '^packages/[^/]+/contract/' }),
    forbid(
      'engines-are-for-tests',
      'What runs speaks to engines by its adapters.',
      { pathNot: [...TESTS, TESTING, '^packages/engines/'] },
      { path: '^packages/engines/' },
    ),
    forbid('nothing-imports-tests', 'Tests import, and are not imported.', { pathNot: '^test/' }, { path: ['[.]test[.]ts$', '^test/'] }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/(?!@waymark/)' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
