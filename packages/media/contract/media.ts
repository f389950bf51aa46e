import { randomBytes } from 'node:crypto';
import { bytesOf, collectPieces, storedBytes, storedFile } from '../content.ts';
import { pieceBytesMax, storeConnectionsMax } from '../limits.ts';
import { fileBytesMax, type Media, type MediaEntry, MediaNameTaken, type MediaObject, MediaUnavailable, mediaTypes } from '../media.ts';

/** Defines the contract of every media store. `make` returns an empty store. */
export const mediaContract = (adapter: string, make: () => Media | Promise<Media>): void => {
  describe(`${adapter}: a media store`, () => {
    let media: Media;
    beforeEach(async () => {
      media = await make();
    });

    for (const [type, extension] of Object.entries(mediaTypes)) {
      it(`returns a file as it was stored, as ${type}`, async () => {
        const name = freshName(extension);
        const bytes = randomBytes(1_000);
        await media.put(name, bytes);
        const found = await media.get(name);
        expect(found).toMatchObject({ type, size: bytes.length });
        expect(bytes.equals((await storedBytes(media, name)) ?? Buffer.of())).toBe(true);
      });
    }

    it('accepts files from one byte to the largest size, and no empty file', async () => {
      await expect(media.put(freshName(), Buffer.of())).rejects.toThrow(RangeError);
      for (const size of [1, fileBytesMax]) {
        const name = freshName();
        const bytes = Buffer.alloc(size, 7);
        await media.put(name, bytes);
        expect(bytes.equals((await storedBytes(media, name)) ?? Buffer.of(1))).toBe(true);
      }
    });

    it('delivers a large file in pieces, and to each reader separately', async () => {
      const { bytes, found } = await aLargeFile(media);
      const [one, other] = await Promise.all([collectPieces(found.content()), collectPieces(found.content())]);
      for (const pieces of [one, other]) {
        expect(Math.max(...pieces.map(({ length }) => length))).toBe(found.pieceBytes);
        expect(found.pieceBytes).toBeLessThanOrEqual(pieceBytesMax);
        expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
      }
    });

    it('does not block a reader while any number of other readers are slow', async () => {
      const { bytes, found } = await aLargeFile(media);
      const slow = Array.from({ length: 2 * storeConnectionsMax }, () => found.content()[Symbol.asyncIterator]());
      const begun = await Promise.all(slow.map((pieces) => pieces.next()));
      expect((await bytesOf(found)).equals(bytes)).toBe(true);
      for (const [nth, pieces] of slow.entries()) {
        const all = Buffer.concat([begun[nth]?.value, await rest(pieces)]);
        expect(all.equals(bytes)).toBe(true);
      }
    }, 60_000);

    it('stops reading when the reader cancels', async () => {
      const { found } = await aLargeFile(media);
      const left = new AbortController();
      const pieces = found.content(left.signal)[Symbol.asyncIterator]();
      expect((await pieces.next()).done).toBe(false);
      left.abort();
      await expect(pieces.next()).rejects.toThrow();
      expect(await pieces.next()).toEqual({ done: true, value: undefined });
    });

    it('never ends a file early: one that is removed and stored again while it is read arrives whole or fails', async () => {
      const { name, bytes, found } = await aLargeFile(media);
      const pieces = found.content()[Symbol.asyncIterator]();
      const first = await pieces.next();
      await media.remove(name);
      await media.put(name, randomBytes(fileBytesMax));
      const all = await rest(pieces).then(
        (read) => Buffer.concat([first.value, read]),
        (error) => error,
      );
      if (Buffer.isBuffer(all)) expect(all.equals(bytes)).toBe(true);
      else expect(all).toBeInstanceOf(MediaUnavailable);

      const again = await aLargeFile(media);
      const cut = again.found.content()[Symbol.asyncIterator]();
      await cut.next();
      await media.remove(again.name);
      const outcome = await rest(cut).then(
        ({ length }) => length,
        (error) => error,
      );
      if (typeof outcome === 'number') expect(outcome).toBeGreaterThanOrEqual(fileBytesMax - pieceBytesMax);
      else expect(outcome).toBeInstanceOf(MediaUnavailable);
    });

    it('stores only the part of a buffer that it is given', async () => {
      const name = freshName();
      await media.put(name, new Uint8Array(Buffer.from('abcdef')).subarray(2, 4));
      expect(await textOf(media, name)).toBe('cd');
    });

    it('returns nothing for a name under which nothing was stored', async () => {
      expect(await media.get(freshName())).toBeUndefined();
    });

    it('never replaces a file by other bytes, even with concurrent puts', async () => {
      const name = freshName();
      const texts = ['one', 'two', 'three', 'four'];
      const outcomes = await Promise.allSettled(texts.map((text) => media.put(name, Buffer.from(text))));
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      const winner = texts[outcomes.findIndex(({ status }) => status === 'fulfilled')];
      expect(await textOf(media, name)).toBe(winner);

      await expect(media.put(name, Buffer.from('five'))).rejects.toThrow();
      expect(await textOf(media, name)).toBe(winner);
    });

    it('accepts the same bytes again, as in a retry after a lost response', async () => {
      const name = freshName();
      await media.put(name, Buffer.from('same'));
      await media.put(name, Buffer.from('same'));
      expect(await textOf(media, name)).toBe('same');
      expect((await entriesOf(media)).map((entry) => entry.name)).toEqual([name]);
    });

    it('no longer has a removed file, and still has the others', async () => {
      const [gone, kept] = [freshName(), freshName()];
      await media.put(gone, Buffer.from('gone'));
      await media.put(kept, Buffer.from('kept'));
      await media.remove(gone);
      expect(await media.get(gone)).toBeUndefined();
      expect(await textOf(media, kept)).toBe('kept');
      expect((await entriesOf(media)).map(({ name }) => name)).toEqual([kept]);
    });

    it('ignores the removal of a file that does not exist', async () => {
      await media.remove(freshName());
      const name = freshName();
      await media.put(name, Buffer.from('x'));
      await media.remove(name);
      await media.remove(name);
    });

    it('keeps the name of an erased file, and nothing else of it', async () => {
      const [erased, never, kept] = [freshName(), freshName(), freshName()];
      const bytes = Buffer.alloc(2 * pieceBytesMax + 1, 'x');
      for (const name of [erased, kept]) await media.put(name, bytes);
      for (const name of [erased, never, erased]) await media.erase(name);
      for (const name of [erased, never]) {
        expect(await media.get(name)).toBe('erased');
        for (const again of [bytes, Buffer.from('y')]) await expect(media.put(name, again)).rejects.toThrow(MediaNameTaken);
        expect(await storedBytes(media, name)).toBeUndefined();
      }
      const listed = (await entriesOf(media)).map((entry) => [entry.name, entry.erased]);
      expect(Object.fromEntries(listed)).toEqual({ [kept]: false, [erased]: true, [never]: true });
      expect(bytes.equals((await storedBytes(media, kept)) ?? Buffer.of())).toBe(true);
      await media.remove(erased);
      expect(await media.get(erased)).toBeUndefined();
      expect((await entriesOf(media)).map(({ name }) => name).sort()).toEqual([kept, never].sort());
    });

    it('lists every file with the time when it was stored', async () => {
      const before = Date.now();
      const names = Array.from({ length: 40 }, () => freshName('gif'));
      await Promise.all(names.map((name) => media.put(name, Buffer.from(name))));
      const entries = await entriesOf(media);
      expect(entries.map(({ name }) => name).sort()).toEqual(names.sort());
      for (const { storedAtMs } of entries) {
        // The clock of a store may be coarser than the clock of this process.
        expect(storedAtMs).toBeGreaterThan(before - 2_000);
        expect(storedAtMs).toBeLessThan(Date.now() + 2_000);
      }
    });

    it('lists nothing while it is empty', async () => {
      expect(await entriesOf(media)).toEqual([]);
    });

    it.each(foreignNames)('rejects the name %j and never stores anything under it', async (name) => {
      await expect(media.put(name, Buffer.from('x'))).rejects.toThrow(RangeError);
      await media.erase(name);
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

const textOf = async (media: Media, name: string): Promise<string | undefined> => (await storedBytes(media, name))?.toString();

/** Stores a file of the largest size, in which no two pieces are equal. */
const aLargeFile = async (media: Media): Promise<{ readonly name: string; readonly bytes: Buffer; readonly found: MediaObject }> => {
  const name = freshName();
  const bytes = randomBytes(fileBytesMax);
  await media.put(name, bytes);
  const found = await storedFile(media, name);
  if (found === undefined) throw new Error('The stored file was not found.');
  return { name, bytes, found };
};

/** Reads the remaining pieces of a content. */
const rest = async (pieces: AsyncIterator<Uint8Array>): Promise<Buffer> => {
  const all: Uint8Array[] = [];
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) all.push(next.value);
  return Buffer.concat(all);
};

const entriesOf = async (media: Media): Promise<readonly MediaEntry[]> => {
  const entries: MediaEntry[] = [];
  for await (const entry of media.list()) entries.push(entry);
  return entries;
};
