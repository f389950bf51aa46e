import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { animationPixelsMax, framePixelsMax } from '../limits.ts';
import { MediaUnavailable, mediaTypes } from '../media.ts';
import { createImageInspector, inspectImage } from './inspect.ts';

const drawn = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#3b7' } });

const images: Record<string, Buffer> = {};
let animation: Sharp;

beforeAll(async () => {
  images['image/png'] = await drawn().png().toBuffer();
  images['image/jpeg'] = await drawn().jpeg().toBuffer();
  images['image/gif'] = await drawn().gif().toBuffer();
  images['image/webp'] = await drawn().webp().toBuffer();
  images['image/avif'] = await drawn().avif({ effort: 0 }).toBuffer();
  const frames = Buffer.concat(Array.from({ length: 12 }, (_, index) => Buffer.alloc(40 * 30 * 3, index * 20)));
  animation = sharp(frames, { raw: { width: 40, height: 30 * 12, channels: 3, pageHeight: 30 } });
});

const image = (type: string): Buffer => images[type] ?? Buffer.of();
const types = Object.keys(mediaTypes);

/** Returns a PNG whose header claims a size that its pixels do not have. */
const pngClaiming = (width: number, height: number): Buffer => {
  const png = Buffer.from(image('image/png'));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
};

/** Returns a GIF of many frames. Each frame takes 15 bytes and claims the whole canvas. */
const gifOf = (frames: number, width: number, height: number): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const head = Buffer.concat([Buffer.from('GIF89a'), size, Buffer.of(0x80, 0, 0, 0, 0, 0, 255, 255, 255)]);
  const frame = Buffer.concat([Buffer.of(0x2c, 0, 0, 0, 0), size, Buffer.of(0, 2, 2, 0x44, 1, 0)]);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.of(0x3b)]);
};

describe.each(types)('an image of type %s', (type) => {
  it('has the type that its bytes declare', async () => {
    expect(await inspectImage(image(type), type)).toBe('ok');
    expect(await inspectImage(new Uint8Array(image(type)), type)).toBe('ok');
  });

  it('does not match any other type', async () => {
    for (const other of types.filter((each) => each !== type)) {
      expect(await inspectImage(image(type), other)).toBe('mismatch');
    }
  });

  it('is broken if only its beginning arrived', async () => {
    for (const share of [0.1, 0.2, 0.3]) {
      const length = Math.max(16, Math.floor(image(type).length * share));
      expect([share, await inspectImage(image(type).subarray(0, length), type)]).toEqual([share, 'broken']);
    }
  });

  it('is broken if only its first bytes are valid', async () => {
    const lie = Buffer.concat([image(type).subarray(0, 16), Buffer.alloc(2_000, '<svg xmlns="http://www.w3.org/2000/svg"/>')]);
    expect(await inspectImage(lie, type)).toBe('broken');
  });

  it('keeps its type with additional data behind it', async () => {
    const polyglot = Buffer.concat([image(type), Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    expect(await inspectImage(polyglot, type)).toBe('ok');
    expect(await inspectImage(polyglot, 'text/html')).toBe('mismatch');
  });

  it('gets a result for every kind of damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 }), fc.nat(), async (damages, cut) => {
        const damaged = Buffer.from(image(type).subarray(0, 1 + (cut % image(type).length)));
        for (const [at, byte] of damages) damaged[at % damaged.length] = byte;
        expect(['ok', 'mismatch', 'too-many-pixels', 'broken']).toContain(await inspectImage(damaged, type));
      }),
      { numRuns: 100 },
    );
  });
});

describe('an AVIF', () => {
  const branded = (brand: string): Buffer => {
    const avif = Buffer.from(image('image/avif'));
    avif.write(brand, 8);
    return avif;
  };

  it('is accepted only under its own brand: brands shared with HEIC do not identify the codec', async () => {
    expect(await inspectImage(branded('avif'), 'image/avif')).toBe('ok');
    for (const brand of ['mif1', 'heic', 'msf1']) expect(await inspectImage(branded(brand), 'image/avif')).toBe('mismatch');
  });

  it('that is a sequence of images cannot be read by the image library', async () => {
    expect(await inspectImage(branded('avis'), 'image/avif')).toBe('broken');
  });
});

describe('an animation', () => {
  it('is accepted as a GIF and as a WebP', async () => {
    expect(await inspectImage(await animation.clone().gif().toBuffer(), 'image/gif')).toBe('ok');
    expect(await inspectImage(await animation.clone().webp().toBuffer(), 'image/webp')).toBe('ok');
  });

  it('counts the pixels of all its frames', async () => {
    const frames = Math.ceil(animationPixelsMax / 1_000_000);
    expect(await inspectImage(gifOf(frames, 1_000, 1_000), 'image/gif')).toBe('ok');
    expect(await inspectImage(gifOf(frames + 1, 1_000, 1_000), 'image/gif')).toBe('too-many-pixels');
  });
});

describe('an image whose header claims a size', () => {
  it('is accepted up to the limit', async () => {
    expect(await inspectImage(pngClaiming(framePixelsMax / 5_000, 5_000), 'image/png')).toBe('ok');
    expect(await inspectImage(pngClaiming(framePixelsMax / 5_000 + 1, 5_000), 'image/png')).toBe('too-many-pixels');
  });

  it('of 60,000 by 60,000 has too many pixels and allocates no memory for them', async () => {
    const before = process.memoryUsage.rss();
    expect(await inspectImage(pngClaiming(60_000, 60_000), 'image/png')).toBe('too-many-pixels');
    expect(process.memoryUsage.rss() - before).toBeLessThan(50_000_000);
  });

  it('that no image can have is broken', async () => {
    expect(await inspectImage(pngClaiming(2 ** 31 - 1, 2 ** 31 - 1), 'image/png')).toBe('broken');
    expect(await inspectImage(pngClaiming(0, 0), 'image/png')).toBe('broken');
  });
});

describe('a file that is not an accepted image', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';

  it.each([
    ['nothing', ''],
    ['an SVG', svg],
    ['an SVG as an XML file', `<?xml version="1.0"?>${svg}`],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a PDF', '%PDF-1.7\n'],
    ['an archive', 'PK\x03\x04'],
    ['a TIFF', 'II*\0\x08\0\0\0'],
    ['a bitmap', `BM${'\0'.repeat(60)}`],
    ['an HEIC', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'],
    ['a film', '\0\0\0\x18ftypmp42\0\0\0\0isommp42'],
    ['a RIFF of sound', 'RIFF\x24\0\0\0WAVEfmt '],
  ])('%s matches none of the types', async (_, text) => {
    for (const type of [...types, 'image/svg+xml', 'text/html', '', 'constructor']) {
      expect(await inspectImage(Buffer.from(text, 'latin1'), type)).toBe('mismatch');
    }
  });

  it('a script with the first bytes of a GIF is broken', async () => {
    expect(await inspectImage(Buffer.from('GIF89a/*<svg/>*/=1;alert(1)'), 'image/gif')).toBe('broken');
  });

  it('never reaches the image library', async () => {
    const header = jest.fn();
    const inspect = createImageInspector(undefined, header);
    expect(await inspect(randomBytes(1_000), 'image/tiff')).toBe('mismatch');
    expect(await inspect(Buffer.from(svg), 'image/png')).toBe('mismatch');
    expect(header).not.toHaveBeenCalled();
  });
});

describe('the inspection', () => {
  it('loads the image library with the first image, not before', () => {
    const program = `
      await import(${JSON.stringify(join(import.meta.dirname, 'inspect.ts'))});
      const { createRequire } = await import('node:module');
      console.log(Object.keys(createRequire('/').cache).filter((path) => path.includes('sharp')).length);
    `;
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('0\n');
  });

  it('does not block the event loop', async () => {
    const large = gifOf(200_000, 1, 1);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    try {
      expect(await inspectImage(large, 'image/gif')).toBe('ok');
    } finally {
      clearImmediate(next);
    }
    // An idle machine counts thousands, a busy one few. The count stays at 0 if the image is read on the event loop.
    expect(turns).toBeGreaterThan(0);
  });

  it('refuses too many images at once, and images that take too long', async () => {
    const inspect = createImageInspector({ runningMax: 1, waitingMax: 1, timeoutMs: 20 }, () => new Promise(() => undefined));
    const png = image('image/png');
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => inspect(png, 'image/png')));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(MediaUnavailable) });
  });
});
