import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { mediaTypes } from '../../media.ts';
import { withoutMetadata } from './metadata.ts';

const types = Object.keys(mediaTypes);
const formatOf = (type: string) => type.slice('image/'.length) as 'png';
const drawn = (): Sharp =>
  sharp(Buffer.from(Array.from({ length: 40 * 30 * 4 }, (_, at) => (at * 7) % 256)), { raw: { width: 40, height: 30, channels: 4 } });

const place = '54/1 19/1 30/1';
const marks = ['GPSMARK', 'CAMERAMARK', 'XMPMARK'];
const exif = {
  IFD0: { Copyright: 'Harbour Archive', Make: 'CAMERAMARK', Artist: 'GPSMARK' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: place },
};
const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>XMPMARK</a></x:xmpmeta>';

const encoded = (image: Sharp, type: string): Promise<Buffer> => image.toFormat(formatOf(type)).toBuffer();
/** Returns an image with the metadata that a camera and an editor write. A GIF has only a comment. */
const withMetadata = async (type: string, orientation = 6): Promise<Buffer> => {
  if (type === 'image/gif') return withComment(await encoded(drawn(), type));
  return encoded(drawn().withMetadata({ orientation }).withExifMerge(exif).withXmp(xmp), type);
};

const withComment = (gif: Buffer): Buffer => {
  const text = Buffer.from('GPSMARK CAMERAMARK XMPMARK');
  return Buffer.concat([gif.subarray(0, -1), Buffer.of(0x21, 0xfe, text.length), text, Buffer.of(0, 0x3b)]);
};

const cleaned = (bytes: Buffer, type: string): Buffer => {
  const clean = withoutMetadata(bytes, type);
  if (clean === undefined) throw new Error('The image was reported as broken.');
  return clean;
};
const pixels = (bytes: Buffer): Promise<Buffer> => sharp(bytes, { animated: true }).ensureAlpha().raw().toBuffer();

describe.each(types)('an image of type %s', (type) => {
  it('loses location, camera and comments, and keeps every pixel', async () => {
    const before = await withMetadata(type);
    expect(marks.some((mark) => before.includes(mark))).toBe(true);
    const after = cleaned(before, type);
    expect(marks.filter((mark) => after.includes(mark))).toEqual([]);
    expect(await pixels(after)).toEqual(await pixels(before));
  });

  it('gives the same result for the same bytes, and for the result itself', async () => {
    const before = await withMetadata(type);
    expect(cleaned(before, type)).toEqual(cleaned(Buffer.from(before), type));
    expect(cleaned(cleaned(before, type), type)).toEqual(cleaned(before, type));
  });

  it('stays unchanged if it has no metadata', async () => {
    const plain = await encoded(drawn(), type);
    expect(cleaned(plain, type)).toEqual(plain);
  });

  it('loses data behind its end', async () => {
    const before = await encoded(drawn(), type);
    expect(cleaned(Buffer.concat([before, Buffer.from('<script>alert(1)</script>PK\x03\x04')]), type)).toEqual(before);
  });

  it('is broken, or is cleaned completely in one pass, for every kind of damage', async () => {
    const sound = await withMetadata(type);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 10 }), fc.nat(), (damages, cut) => {
        const damaged = Buffer.from(sound.subarray(0, cut % 3 === 0 ? 1 + (cut % sound.length) : sound.length));
        for (const [at, byte] of damages) damaged[at % Math.min(damaged.length, 600)] = byte;
        const once = withoutMetadata(damaged, type);
        if (once === undefined) return;
        expect(once.length).toBeLessThanOrEqual(damaged.length + 64);
        expect(withoutMetadata(once, type)).toEqual(once);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe.each(['image/jpeg', 'image/png', 'image/webp'])('the EXIF of an image of type %s', (type) => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps orientation %d and the copyright', async (orientation) => {
    const after = cleaned(await withMetadata(type, orientation), type);
    const { orientation: kept = 1, exif: block = Buffer.of() } = await sharp(after).metadata();
    expect(kept).toBe(orientation);
    expect(block.includes('Harbour Archive')).toBe(true);
    expect(block.length).toBeLessThan(80);
  });

  it('is removed if it has neither of them', async () => {
    const after = cleaned(await encoded(drawn().withExif({ IFD0: { Make: 'CAMERAMARK' } }), type), type);
    expect((await sharp(after).metadata()).exif).toBeUndefined();
  });
});

describe('the colours', () => {
  it.each(['image/jpeg', 'image/png', 'image/webp', 'image/avif'])('of an image of type %s keep their profile', async (type) => {
    const before = await encoded(drawn().withIccProfile('p3'), type);
    const { icc } = await sharp(before).metadata();
    expect(icc).toBeDefined();
    expect((await sharp(cleaned(before, type)).metadata()).icc).toEqual(icc);
  });
});

describe('an animation', () => {
  const frames = () =>
    sharp(Buffer.from(Array.from({ length: 40 * 30 * 3 * 4 }, (_, at) => (at * at) % 256)), {
      raw: { width: 40, height: 120, channels: 3, pageHeight: 30 },
    });

  it.each(['image/gif', 'image/webp'])('of type %s keeps frames, delays and the number of loops', async (type) => {
    const format = formatOf(type) as 'gif';
    const before = await frames()
      .withXmp(xmp)
      .toFormat(format, { delay: [100, 200, 300, 400], loop: 3 })
      .toBuffer();
    const after = cleaned(before, type);
    const { pages, delay, loop } = await sharp(after, { animated: true }).metadata();
    expect({ pages, delay, loop }).toEqual({ pages: 4, delay: [100, 200, 300, 400], loop: 3 });
    expect(await pixels(after)).toEqual(await pixels(before));
    expect(after.includes('XMPMARK')).toBe(false);
  });

  it('of a PNG keeps its chunks', async () => {
    const png = await encoded(drawn(), 'image/png');
    const animated = Buffer.concat([
      png.subarray(0, 33),
      chunk('acTL', Buffer.of(0, 0, 0, 1, 0, 0, 0, 0)),
      chunk('fcTL', Buffer.alloc(26)),
      chunk('tEXt', Buffer.from('Comment\0GPSMARK')),
      png.subarray(33),
    ]);
    const names = ['acTL', 'fcTL', 'IDAT', 'tEXt'];
    const after = cleaned(animated, 'image/png');
    expect(names.filter((name) => after.includes(name))).toEqual(['acTL', 'fcTL', 'IDAT']);
  });
});

const chunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
};

describe('a JPEG', () => {
  it('loses thumbnails, additional images and segments of other programs, and keeps those of colour', async () => {
    const jpeg = await encoded(drawn(), 'image/jpeg');
    const segment = (marker: number, data: Buffer) =>
      Buffer.concat([Buffer.of(0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255), data]);
    const thumbnail = segment(0xe0, Buffer.concat([Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\x02\x02', 'latin1'), Buffer.alloc(12, 77)]));
    const others = [
      segment(0xe2, Buffer.from('MPF\0GPSMARK')),
      segment(0xed, Buffer.from('Photoshop 3.0\0GPSMARK')),
      segment(0xfe, Buffer.from('GPSMARK')),
      segment(0xee, Buffer.from('Adobe\0d\0\0\0\0\x01', 'latin1')),
    ];
    const after = cleaned(Buffer.concat([jpeg.subarray(0, 2), thumbnail, ...others, jpeg.subarray(2)]), 'image/jpeg');
    expect(after.subarray(2, 20).toString('latin1')).toBe('\xff\xe0\0\x10JFIF\0\x01\x02\0\0\x01\0\x01\0\0');
    expect(after.includes('GPSMARK')).toBe(false);
    expect(after.includes('Adobe')).toBe(true);
  });

  it('without its end marker is kept up to its end', async () => {
    const jpeg = await encoded(drawn(), 'image/jpeg');
    expect(cleaned(jpeg.subarray(0, -2), 'image/jpeg')).toEqual(jpeg.subarray(0, -2));
  });
});

describe('an AVIF', () => {
  /** Changes the location of the second of the two items, the EXIF, in the layout that this encoder writes. */
  const moved = async (change: (from: number, length: number) => readonly [number, number]): Promise<Buffer> => {
    const avif = await encoded(drawn().removeAlpha().withExif(exif), 'image/avif');
    const [fromAt, lengthAt] = [avif.indexOf('iloc') + 34, avif.indexOf('iloc') + 44];
    const [from, length] = [avif.readUInt32BE(fromAt), avif.readUInt32BE(lengthAt)];
    expect(avif.subarray(from, from + length).includes('Harbour Archive')).toBe(true);
    const [newFrom, newLength] = change(from, length);
    avif.writeUInt32BE(newFrom, fromAt);
    avif.writeUInt32BE(newLength, lengthAt);
    return avif;
  };

  it('keeps its length and the offsets of its pixels', async () => {
    const before = await withMetadata('image/avif');
    expect(cleaned(before, 'image/avif')).toHaveLength(before.length);
  });

  it('is broken if a piece overlaps another', async () => {
    expect(withoutMetadata(await moved((from, length) => [from, length]), 'image/avif')).toBeDefined();
    expect(withoutMetadata(await moved((from, length) => [from - 8, length]), 'image/avif')).toBeUndefined();
  });

  it('is broken if a piece lies outside the data', async () => {
    expect(withoutMetadata(await moved((_, length) => [0, Math.min(length, 16)]), 'image/avif')).toBeUndefined();
    expect(withoutMetadata(await moved((from) => [from, 9_999_999]), 'image/avif')).toBeUndefined();
  });

  it('loses boxes and properties with metadata', async () => {
    const before = await encoded(drawn(), 'image/avif');
    const text = 'GPSMARK!';
    const box = Buffer.concat([Buffer.of(0, 0, 0, 16), Buffer.from(`uuid${text}`)]);
    const after = cleaned(Buffer.concat([before, box]), 'image/avif');
    expect(after.equals(before)).toBe(true);
    const pixi = before.indexOf('pixi');
    const described = Buffer.from(before);
    described.write('udes', pixi, 'latin1');
    expect(
      cleaned(described, 'image/avif')
        .subarray(pixi, pixi + 4)
        .toString('latin1'),
    ).toBe('free');
  });
});
