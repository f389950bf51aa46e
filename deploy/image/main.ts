import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { release } from '../../packages/domain/release.ts';
import { bundleOf, root } from '../../services/cli/bundle/bundle.ts';
import { billOf } from './bill.ts';
import { writeProgram } from './program.ts';

// Builds the images, and writes a software bill of materials beside the list of their files:
//
//     npm run image -- --repository registry.example.org/maps/waymark --tag 1
//
//   --repository   name of the image; that of the edge has -edge at the end (waymark)
//   --tag          its tag (the release)
//   --base         the base image (debian:bookworm-slim)
//   --network      the network in which nginx is fetched, as of `docker build`

type Bootstrap = { readonly librariesDigest: () => string };
const { librariesDigest }: Bootstrap = createRequire(import.meta.url)('../../services/cli/bootstrap.cjs');

const { values } = parseArgs({
  options: {
    repository: { type: 'string', default: 'waymark' },
    tag: { type: 'string', default: release },
    base: { type: 'string', default: 'debian:bookworm-slim' },
    network: { type: 'string', default: 'default' },
  },
});
const { repository, tag, base, network } = values;

const folder = join(root, '.toolchain/image');
const images = [
  { target: 'waymark', image: `${repository}:${tag}` },
  { target: 'waymark-edge', image: `${repository}-edge:${tag}` },
] as const;

const docker = (...parameters: readonly string[]): void => {
  const { status, error } = spawnSync('docker', parameters, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
};

/** Returns the commit of the checkout; an empty text where it is none. */
const revision = (): string => {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return stdout?.trim() ?? '';
};

const sizeOf = (image: string): number =>
  Number(execFileSync('docker', ['image', 'inspect', '--format', '{{.Size}}', image], { encoding: 'utf8' }));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeProgram(join(folder, 'context/files'), bundleOf(librariesDigest()), process.execPath);
for (const { target, image } of images) {
  const settings = [`BASE=${base}`, `VERSION=${release}`, `REVISION=${revision()}`].flatMap((setting) => ['--build-arg', setting]);
  const dockerfile = join(root, 'deploy/image/Dockerfile');
  docker('build', '--file', dockerfile, '--target', target, '--tag', image, '--network', network, ...settings, join(folder, 'context'));
  const bill = join(folder, `${target}-${tag}.cdx.json`);
  writeFileSync(bill, `${JSON.stringify(billOf(image, process.versions.node))}\n`);
  process.stdout.write(`${image}  ${Math.ceil(sizeOf(image) / 1e6)} MB  bill of materials: ${bill}\n`);
}
rmSync(join(folder, 'context'), { recursive: true });
