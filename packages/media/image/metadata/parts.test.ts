import { imagePartsMax } from '../../limits.ts';
import { boxesIn } from './avif-boxes.ts';
import { withoutMetadata } from './metadata.ts';

const times = (parts: number, part: Buffer): Buffer => Buffer.concat(Array<Buffer>(parts).fill(part));
const number = (value: number, bytes: number): Buffer => {
  const written = Buffer.alloc(bytes);
  written.writeUIntLE(value, 0, bytes);
  return written;
};

const pngChunk = (name: string, dataBytes = 0): Buffer => {
  const chunk = Buffer.alloc(12 + dataBytes);
  chunk.writeUInt32BE(dataBytes, 0);
  chunk.write(name, 4, 'latin1');
  return chunk;
};
const webpChunk = (name: string, data = Buffer.of()): Buffer => Buffer.concat([Buffer.from(name), number(data.length, 4), data]);
const webp = (...chunks: readonly Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from('WEBP'), webpChunk('VP8X', Buffer.alloc(10)), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), number(body.length, 4), body]);
};

/** Images without pixels that consist of a number of the smallest parts, besides five at most. */
const images: readonly [kind: string, type: string, make: (parts: number) => Buffer][] = [
  [
    'chunks of a PNG',
    'image/png',
    (parts) => Buffer.concat([Buffer.alloc(8), pngChunk('IHDR', 13), times(parts, pngChunk('IDAT')), pngChunk('IEND')]),
  ],
  [
    'segments of a JPEG',
    'image/jpeg',
    (parts) => Buffer.concat([Buffer.of(0xff, 0xd8), times(parts, Buffer.of(0xff, 0xdd, 0, 2)), Buffer.of(0xff, 0xd9)]),
  ],
  [
    'blocks of a GIF',
    'image/gif',
    (parts) => Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(7), times(parts, Buffer.of(0x21, 0xfe, 0)), Buffer.of(0x3b)]),
  ],
  ['chunks of a WebP', 'image/webp', (parts) => webp(times(parts, webpChunk('XMP ')))],
  [
    'chunks in two frames of a WebP',
    'image/webp',
    (parts) => {
      const frame = webpChunk('ANMF', Buffer.concat([Buffer.alloc(16), times(parts / 2, webpChunk('ALPH'))]));
      return webp(frame, frame);
    },
  ],
];

describe('the parts of an image', () => {
  it.each(images)('are limited: %s', (_, type, make) => {
    const isBroken = (parts: number): boolean => withoutMetadata(make(parts), type) === undefined;
    expect([isBroken(imagePartsMax - 10), isBroken(imagePartsMax + 10)]).toEqual([false, true]);
  });

  it('are limited: boxes of an AVIF', () => {
    const boxes = times(imagePartsMax + 1, Buffer.from('\0\0\0\x08free', 'latin1'));
    expect(() => boxesIn(boxes, 0, boxes.length)).toThrow('too many parts');
    expect(boxesIn(boxes, 8, boxes.length)).toHaveLength(imagePartsMax);
  });

  it('take time that grows with their number, also if most of them may stand once', () => {
    const half = imagePartsMax / 2 - 10;
    const image = webp(times(half, webpChunk('XMP ')), times(half, webpChunk('ICCP')));
    const before = process.threadCpuUsage();
    expect(withoutMetadata(image, 'image/webp')).toHaveLength(webp(webpChunk('ICCP')).length);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
