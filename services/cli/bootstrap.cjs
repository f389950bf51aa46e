#!/usr/bin/env node
'use strict';
// The only step that runs on any Node (20 or later) and with nothing installed. It installs Node 24, pnpm and the libraries into the clone
// where they are missing. Where they are present, it prints nothing. With a developer's command as its arguments, it also installs the
// developer's tools, and runs the command:
//
//     node services/cli/bootstrap.cjs pnpm outdated

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { withLock } = require('./install-lock.cjs');
const { run } = require('./run.cjs');

/** The oldest version that runs TypeScript without a warning. */
const OLDEST_NODE = [24, 12];
const PLEASE = `Please install Node ${OLDEST_NODE.join('.')} or later.`;
const LAST_WORDS_LINES = 20;
const OTHER_BYTES = /wanted (sha\d+-\S+) but got (sha\d+-\S+)/;
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;

const inClone = (...names) => path.join(__dirname, '../..', ...names);
const inToolchain = (...names) => inClone('.toolchain', ...names);

class BootstrapError extends Error {}

const say = (text) => process.stderr.write(`waymark: ${text}\n`);

const contentOf = (file) => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const toolchain = (file) => JSON.parse(contentOf(path.join(__dirname, 'toolchain', file)));

// Node

const [major, minor] = process.versions.node.split('.').map(Number);
/** WAYMARK_NODE=pinned: an image gets the Node whose digest is in the lock file, whatever this machine has. */
const ownNodeServes =
  process.env.WAYMARK_NODE !== 'pinned' && (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]));

/** Returns the name of the npm package that contains Node for this platform.
 * @throws BootstrapError where there is none */
const nodeFromNpm = () => {
  const platform = `${process.platform}-${process.arch}`;
  const name = `node-${platform}`;
  if (toolchain('package.json').optionalDependencies[name]) return name;
  throw new BootstrapError(`Node ${process.versions.node} does not serve, and npm has no other one for ${platform}. ${PLEASE}`);
};

/** Returns the path of the Node that runs everything else. */
const nodeFile = () => (ownNodeServes ? process.execPath : inToolchain('node_modules', nodeFromNpm(), 'bin', 'node'));

/** The directory of Node's compile cache. With it, a process starts in half the time, and a thread in a third. */
const compileCache = inToolchain('compile-cache');

/** Returns an environment whose PATH finds the clone's `node`, `pnpm` and commands of libraries first. */
const environment = () => {
  const ours = [path.dirname(nodeFile()), inToolchain('node_modules', '.bin'), inClone('node_modules', '.bin')];
  const PATH = [...ours, process.env.PATH].join(path.delimiter);
  return { ...process.env, PATH, NODE_COMPILE_CACHE: compileCache, TURBO_TELEMETRY_DISABLED: '1' };
};

// What has to be installed, and the stamps that record what is installed

/** Returns the manifest and the lock file that npm needs on this machine: each package with the digest of its bytes. In the committed
 * manifest Node is optional, so that every platform has its own package. Here it is required, because npm would skip an optional package
 * whose bytes have another digest. */
const toolsManifests = () => {
  const { dependencies, optionalDependencies, ...rest } = toolchain('package.json');
  const { packages, ...lock } = toolchain('package-lock.json');
  const node = ownNodeServes ? {} : { [nodeFromNpm()]: optionalDependencies[nodeFromNpm()] };
  const manifest = { ...rest, dependencies: { ...dependencies, ...node } };
  const locked = Object.keys(manifest.dependencies).map((name) => {
    const { optional: _, ...required } = packages[`node_modules/${name}`];
    return [`node_modules/${name}`, required];
  });
  return { manifest, lock: { ...lock, packages: { '': manifest, ...Object.fromEntries(locked) } } };
};

/** Returns each tool as its name, version and digest. */
const toolsWanted = () => {
  const { '': _, ...packages } = toolsManifests().lock.packages;
  return Object.entries(packages).map(([place, { version, integrity }]) => `${path.basename(place)}@${version} ${integrity}`);
};

const librariesWanted = () => {
  const workspaces = ['packages', 'services'].flatMap((folder) => fs.readdirSync(inClone(folder)).map((name) => path.join(folder, name)));
  const manifests = ['.', 'test', ...workspaces].map((folder) => path.join(folder, 'package.json'));
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) hash.update(`${contentOf(inClone(file))}\0`);
  return hash.digest('hex');
};

const toolsStamp = inToolchain('tools');
const librariesStamp = inToolchain('libraries');
const toolsAreThere = () => toolsWanted().every((tool) => contentOf(toolsStamp).split('\n').includes(tool));
/** Reports whether the libraries are installed. `all` includes the developer's tools. The product runs without them: then the libraries are
 * a third of the size, and npx has fewer links in the clone to search. */
const librariesAre = (extent) => {
  const [hash, there] = contentOf(librariesStamp).split(' ');
  return (there === extent || there === 'all') && hash === librariesWanted();
};

/** Returns the digest of the installed libraries. */
const librariesDigest = () => contentOf(librariesStamp).split(' ')[0];

// Installing

/** Runs an installer without showing its output. Where it fails, the error contains the last lines of the output.
 * @throws BootstrapError */
const install = async (what, command, args) => {
  say(`installing ${what} …`);
  let output = '';
  const { code, interrupted } = await run(command, args, {
    cwd: inClone(),
    env: environment(),
    onOutput: (chunk) => (output += chunk),
  }).catch((error) => {
    throw error.code === 'ENOENT' ? new BootstrapError(`${command} is needed to install ${what}, but it was not found.`) : error;
  });
  if (code === 0) return;
  if (interrupted) throw new BootstrapError(`interrupted while installing ${what}; the next start continues from there.`);
  const [, wanted, got] = OTHER_BYTES.exec(output) ?? [];
  if (wanted) {
    throw new BootstrapError(
      `could not install ${what}: the bytes in the registry differ from those that this release was made with.\n\nwanted ${wanted}\ngot    ${got}`,
    );
  }
  const reason = UNREACHABLE.test(output) ? 'the npm registry could not be reached. Is there a network, and does `npm ping` answer?' : '';
  const lastWords = output.trim().split('\n').slice(-LAST_WORDS_LINES).join('\n');
  throw new BootstrapError(`could not install ${what}: ${reason}\n\n${lastWords}\n\n${command} exited with ${code}.`);
};

const installTools = async () => {
  const { manifest, lock } = toolsManifests();
  fs.rmSync(toolsStamp, { force: true });
  // A killed npm may leave half-written packages, which the next npm would take for complete ones.
  fs.rmSync(inToolchain('node_modules'), { recursive: true, force: true });
  fs.writeFileSync(inToolchain('package.json'), JSON.stringify(manifest));
  fs.writeFileSync(inToolchain('package-lock.json'), JSON.stringify(lock));
  const tools = Object.entries(manifest.dependencies).map((tool) => tool.join('@'));
  await install(tools.join(' and '), 'npm', ['ci', '--prefix', inToolchain(), '--ignore-scripts', '--no-audit', '--no-fund']);
  const { code } = await run(nodeFile(), ['--version'], { stdio: 'ignore' }).catch(() => ({ code: 1 }));
  if (code !== 0) throw new BootstrapError(`the Node from npm does not run on this machine. ${PLEASE}`);
  fs.writeFileSync(toolsStamp, toolsWanted().join('\n'));
};

const installLibraries = async (extent) => {
  const stamp = `${librariesWanted()} ${extent}`;
  const production = `--prod=${extent === 'production'}`;
  await install('the libraries', 'pnpm', ['install', '--frozen-lockfile', '--config.confirmModulesPurge=false', production]);
  fs.writeFileSync(librariesStamp, stamp);
};

/** Installs what is missing: for the product (`production`), or for development as well (`all`). */
const prepare = async (extent) => {
  if (toolsAreThere() && librariesAre(extent)) return;
  fs.mkdirSync(inToolchain(), { recursive: true });
  const onWait = () => say('waiting for another process that installs into this clone …');
  await withLock(inToolchain('lock'), onWait, async () => {
    if (!toolsAreThere()) await installTools();
    if (!librariesAre(extent)) await installLibraries(contentOf(librariesStamp).endsWith('all') ? 'all' : extent);
  });
};

/** Runs a command in the prepared environment, and returns its exit code. */
const runPrepared = async (command, args) => (await run(command, args, { env: environment() })).code;

const fail = (error) => {
  say(error instanceof BootstrapError ? error.message : error.stack);
  process.exit(1);
};

module.exports = { compileCache, fail, librariesDigest, nodeFile, ownNodeServes, prepare, runPrepared };

if (require.main === module) {
  const [command, ...args] = process.argv.slice(2);
  prepare('all')
    .then(() => (command ? runPrepared(command, args) : 0))
    .then(process.exit, fail);
}
