import { randomBytes } from 'node:crypto';
import { fileBytesMax, type Media, type MediaEntry, mediaTypes } from './media.ts';

/** Whatever every media store keeps to. `make` gives an empty one. */
export const mediaContract = (adapter: string, make: () => Media | Promise<Media>): void => {
  describe(`${adapter}: a media store`, () => {
    let media: Media;
    beforeEach(async () => {
      media = await make();
    });

    for (const [type, extension] of Object.entries(mediaTypes)) {
      it(`gives back a file as it was stored, as ${type}`, async () => {
        const name = freshName(extension);
        const bytes = randomBytes(1_000);
        await media.put(name, bytes);
        const found = await media.get(name);
        expect(found?.type).toBe(type);
        expect(bytes.equals(found?.bytes ?? Buffer.of())).toBe(true);
      });
    }

    it('takes files from an empty one to the largest', async () => {
      for (const size of [0, 1, fileBytesMax]) {
        const name = freshName();
        const bytes = Buffer.alloc(size, 7);
        await media.put(name, bytes);
        expect(bytes.equals((await media.get(name))?.bytes ?? Buffer.of(1))).toBe(true);
      }
    });

    it('takes the part of a buffer that it is given, and not the rest', async () => {
      const name = freshName();
      await media.put(name, new Uint8Array(Buffer.from('abcdef')).subarray(2, 4));
      expect(await textOf(media, name)).toBe('cd');
    });

    it('has nothing under a name that nothing was stored under', async () => {
      expect(await media.get(freshName())).toBeUndefined();
    });

    it('never replaces a file by other bytes, not even when both come at once', async () => {
      const name = freshName();
      const texts = ['one', 'two', 'three', 'four'];
      const outcomes = await Promise.allSettled(texts.map((text) => media.put(name, Buffer.from(text))));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      const winner = texts[outcomes.findIndex(({ status }) => status === 'fulfilled')];
      expect(await textOf(media, name)).toBe(winner);

      await expect(media.put(name, Buffer.from('five'))).rejects.toThrow();
      expect(await textOf(media, name)).toBe(winner);
    });

    it('takes the same bytes again, as after an answer that was lost', async () => {
      const name = freshName();
      await media.put(name, Buffer.from('same'));
      await media.put(name, Buffer.from('same'));
      expect(await textOf(media, name)).toBe('same');
      expect((await entriesOf(media)).map((entry) => entry.name)).toEqual([name]);
    });

    it('has no file any more that was removed, and still has the others', async () => {
      const [gone, kept] = [freshName(), freshName()];
      await media.put(gone, Buffer.from('gone'));
      await media.put(kept, Buffer.from('kept'));
      await media.remove(gone);
      expect(await media.get(gone)).toBeUndefined();
      expect(await textOf(media, kept)).toBe('kept');
      expect((await entriesOf(media)).map(({ name }) => name)).toEqual([kept]);
    });

    it('does not mind a removal of what is not there', async () => {
      await media.remove(freshName());
      const name = freshName();
      await media.put(name, Buffer.from('x'));
      await media.remove(name);
      await media.remove(name);
    });

    it('lists every file, and when it was stored', async () => {
      const before = Date.now();
      const names = Array.from({ length: 40 }, () => freshName('gif'));
      await Promise.all(names.map((name) => media.put(name, Buffer.from(name))));
      const entries = await entriesOf(media);
      expect(entries.map(({ name }) => name).sort()).toEqual(names.sort());
      for (const { storedAtMs } of entries) {
        // A store's clock may be coarser than ours.
        expect(storedAtMs).toBeGreaterThan(before - 2_000);
        expect(storedAtMs).toBeLessThan(Date.now() + 2_000);
      }
    });

    it('lists nothing when it is empty', async () => {
      expect(await entriesOf(media)).toEqual([]);
    });

    it.each(foreignNames)('has nothing to do with the name %j', async (name) => {
      await expect(media.put(name, Buffer.from('x'))).rejects.toThrow(RangeError);
      expect(await media.get(name)).toBeUndefined();
      await media.remove(name);
      expect(await entriesOf(media)).toEqual([]);
    });
  });
};

const digits = '0123456789abcdef0123456789abcdef';
const foreignNames = [
  '',
  'a.png',
  digits,
  `${digits}.svg`,
  `${digits}.png/`,
  `${digits}.png\n`,
  `${digits}.png\0`,
  `${digits.toUpperCase()}.png`,
  `${digits}.PNG`,
  `../${digits}.png`,
  `..%2f${digits}.png`,
  `${digits.slice(0, 2)}/${digits}.png`,
  `${'.'.repeat(32)}.png`,
  '/etc/passwd',
];

const freshName = (extension = 'png'): string => `${randomBytes(16).toString('hex')}.${extension}`;

const textOf = async (media: Media, name: string): Promise<string | undefined> => {
  const found = await media.get(name);
  return found && Buffer.from(found.bytes).toString();
};

const entriesOf = async (media: Media): Promise<readonly MediaEntry[]> => {
  const entries: MediaEntry[] = [];
  for await (const entry of media.list()) entries.push(entry);
  return entries;
};
