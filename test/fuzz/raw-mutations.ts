import type { Random } from '../crash/random.ts';

const tokens: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  '\u0000',
  '\u00ff',
  '0',
  '-',
  ';',
  'HTTP/1.1',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  '%00',
  'x'.repeat(300),
  'x'.repeat(20_000),
];

type Change = (bytes: Buffer, at: number, random: Random) => Buffer;

const spliced = (bytes: Buffer, at: number, count: number, insert: Buffer | string): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(insert), bytes.subarray(at + count)]);

const changes: readonly Change[] = [
  (bytes, at, random) => spliced(bytes, at, 1, Buffer.from([random.below(256)])),
  (bytes, at, random) => spliced(bytes, at, 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))])),
  (bytes, at, random) => spliced(bytes, at, 1 + random.below(20), ''),
  (bytes, at, random) => spliced(bytes, at, 0, bytes.subarray(at, at + random.below(40))),
  (bytes, at, random) => spliced(bytes, at, 0, Buffer.from(random.pick(tokens) ?? '', 'latin1')),
  (bytes, at, random) => spliced(bytes, at, random.below(4), Buffer.from(random.pick(tokens) ?? '', 'latin1')),
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  (bytes, _, random) => Buffer.from(bytes.toString('latin1').replace(/(Content-Length: )\d+/, `$1${random.below(60)}`), 'latin1'),
];

/** Changes a few bytes at random positions. */
export const mutatedBytes = (bytes: Buffer, random: Random): Buffer => {
  let changed = bytes;
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    changed = random.pick(changes)?.(changed, random.below(changed.length + 1), random) ?? changed;
  }
  return changed;
};
