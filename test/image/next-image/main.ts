#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Makes the images of a release that has other versions of the projections, from those of this release: waymark:next and waymark-edge:next.
//
//   .ci/docker --images node test/image/next-image/main.ts

const { WAYMARK_TEST_IMAGE: image = '', WAYMARK_TEST_IMAGE_EDGE: edge = '' } = process.env;
const bundle = '/opt/waymark/.toolchain/bundles/bundle';
const version = /\b(projectionVersion|historyVersion)=(\d+)\b/g;

const docker = (...words: readonly string[]): string =>
  execFileSync('docker', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

const context = mkdtempSync(join(tmpdir(), 'waymark-next-'));
try {
  const container = docker('create', image);
  docker('cp', `${container}:${bundle}`, join(context, 'bundle'));
  docker('rm', container);
  mkdirSync(join(context, 'files'));
  const changed = new Set<string>();
  for (const name of readdirSync(join(context, 'bundle')).filter((file) => file.endsWith('.js'))) {
    const before = readFileSync(join(context, 'bundle', name), 'utf8');
    const after = before.replaceAll(version, (_, variable: string, value: string) => {
      changed.add(variable);
      return `${variable}=${Number(value) + 1}`;
    });
    if (after !== before) writeFileSync(join(context, 'files', name), after, { mode: 0o644 });
  }
  if (changed.size !== 2) throw new Error(`Of both versions, the bundle names ${[...changed].join(', ') || 'none'}.`);
  for (const [from, to] of [
    [image, 'waymark:next'],
    [edge, 'waymark-edge:next'],
  ]) {
    writeFileSync(join(context, 'Dockerfile'), `FROM ${from}\nCOPY files/ ${bundle}/\n`);
    docker('build', '--tag', `${to}`, context);
  }
} finally {
  rmSync(context, { recursive: true });
}
