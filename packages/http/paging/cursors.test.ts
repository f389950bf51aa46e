import type { PageQuery } from '@waymark/domain/pages.ts';
import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import fc from 'fast-check';
import { createCursors } from './cursors.ts';

const id = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const query: fc.Arbitrary<PageQuery> = fc.record({
  kind: fc.constantFrom('pinpoint', 'list', 'category', 'happening'),
  account: fc.string({ maxLength: 40, unit: anyCharacter }),
  within: fc.option(id),
  direction: fc.constantFrom('forward', 'backward'),
  from: id,
  limit: fc.integer({ min: 1, max: 500 }),
});

const account = '5d41402abc4b2a76b9719d911017c592';
const sample: PageQuery = { kind: 'pinpoint', account, within: 7, direction: 'forward', from: 20, limit: 50 };
const cursors = createCursors(['key'], 'incarnation');

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a cursor', () => {
  it('opens to the query that was sealed', () => {
    fc.assert(fc.property(query, (sent) => expect(cursors.open(cursors.seal(sent))).toEqual(sent)));
  });

  it('needs no escaping in a URL, and is short enough to be opened', () => {
    fc.assert(fc.property(query, (sent) => expect(cursors.seal(sent)).toMatch(/^[\w-]{1,512}$/)));
  });

  it('is invalid if any character is replaced by another', () => {
    const sealed = cursors.seal(sample);
    for (const [at, is] of [...sealed].entries()) {
      for (const other of `${base64url}+/= .%`) {
        if (other !== is) expect(cursors.open(sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it('is invalid in another encoding of the same bytes, whatever its length', () => {
    fc.assert(
      fc.property(query, (sent) => {
        const sealed = cursors.seal(sent);
        const spellings = [...base64url].map((last) => sealed.slice(0, -1) + last).filter((other) => other !== sealed);
        for (const other of [...spellings, `${sealed}=`, `${sealed}A`, sealed.slice(0, -1)]) expect(cursors.open(other)).toBeUndefined();
      }),
    );
  });

  it.each(['', 'x', '.', '%', ' ', 'null', '[]', 'A'.repeat(21), 'A'.repeat(22), 'A'.repeat(100), 'A'.repeat(100_000)])(
    'is invalid: %s',
    (text) => {
      expect(cursors.open(text)).toBeUndefined();
    },
  );

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => expect(cursors.open(text)).toBeUndefined()));
  });

  it('is invalid if it was made with another key or for another log', () => {
    const sealed = cursors.seal(sample);
    expect(createCursors(['other'], 'incarnation').open(sealed)).toBeUndefined();
    expect(createCursors(['key'], 'restored').open(sealed)).toBeUndefined();
  });
});

describe('a new key', () => {
  it('seals while the old key still opens cursors, until the old key is removed', () => {
    const [before, meanwhile, after] = [createCursors(['old'], 'x'), createCursors(['new', 'old'], 'x'), createCursors(['new'], 'x')];
    expect(meanwhile.open(before.seal(sample))).toEqual(sample);
    expect(after.open(meanwhile.seal(sample))).toEqual(sample);
    expect(before.open(meanwhile.seal(sample))).toBeUndefined();
    expect(after.open(before.seal(sample))).toBeUndefined();
  });
});
