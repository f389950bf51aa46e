#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakages } from './breakages.ts';

// Shows that the fault tests detect a defect: breaks one piece of code in a copy of these sources, and runs tests there, which must fail.
// Engines are given by URL, as for the tests.
//
//   node test/cluster/broken/main.ts position-outside test/cluster/services.control
//   node test/cluster/broken/main.ts gap-applied test/cluster/records.control -t 'one in a hundred'

const root = join(import.meta.dirname, '../../..');
/** These directories are linked and not copied: they are too large, and they do not change. */
const shared = ['node_modules', '.toolchain'];
const left = new Set([...shared, '.git', '.turbo'].map((name) => join(root, name)));

const [name = '', ...tests] = process.argv.slice(2);
const breakage = breakages[name];
if (breakage === undefined) throw new Error(`One of: ${Object.keys(breakages).join(', ')}`);

const copy = mkdtempSync(join(tmpdir(), 'waymark-broken-'));
try {
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !left.has(path) });
  for (const directory of shared) symlinkSync(join(root, directory), join(copy, directory));
  const file = join(copy, breakage.file);
  const text = readFileSync(file, 'utf8');
  if (!text.includes(breakage.good)) throw new Error(`${breakage.file} no longer contains this:\n${breakage.good}`);
  writeFileSync(file, text.replaceAll(breakage.good, breakage.bad));
  const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...tests], { cwd: copy, stdio: 'inherit' });
  process.stdout.write(status === 0 ? `${name}: NOT detected\n` : `${name}: detected\n`);
  process.exitCode = status === 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
