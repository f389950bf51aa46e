import { execFileSync } from 'node:child_process';

type Component = { readonly type: string; readonly name: string; readonly version: string; readonly purl: string };
type Bill = { readonly components: readonly Component[] };

const billBytesMax = 64 * 1024 * 1024;

/** Returns the software bill of materials of an image, in CycloneDX: the libraries of the product, Node, and the packages of the base.
 * @param image the name of the image
 * @param node the version of Node */
export const billOf = (image: string, node: string): object => {
  const bill = JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8', maxBuffer: billBytesMax })) as Bill;
  const runtime = { type: 'application', name: 'node', version: node, purl: `pkg:generic/node@${node}` };
  return { ...bill, components: [...bill.components, runtime, ...packagesOf(image)] };
};

/** Returns the Debian packages of an image. */
const packagesOf = (image: string): readonly Component[] => {
  const run = ['run', '--rm', '--network', 'none', '--entrypoint', '/usr/bin/dpkg-query', image, '--show'];
  const lines = execFileSync('docker', run, { encoding: 'utf8', maxBuffer: billBytesMax }).trim().split('\n');
  return lines.map((line) => {
    // A package that may be installed for several architectures has its own in its name.
    const [, name = '', version = ''] = /^([^:\t]+)\S*\t(\S+)$/.exec(line) ?? [];
    return { type: 'library', name, version, purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}` };
  });
};
