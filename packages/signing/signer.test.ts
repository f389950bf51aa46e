import { createSigner } from './signer.ts';

const [key, other] = ['k'.repeat(32), 'o'.repeat(32)];
const signer = createSigner([key]);

describe('a signer', () => {
  it('verifies its signature: 192 bits, the same for a text and for its bytes', () => {
    const signature = signer.sign('entry', 'a', 'é', 'bytes');
    expect(signature).toMatch(/^[\w-]{32}$/);
    expect(signer.verify(signature, 'entry', 'a', 'é', 'bytes')).toBe(true);
    expect(signer.afterTexts('entry', 'a', 'é').sign(Buffer.from('bytes'))).toBe(signature);
    const { verify } = signer.afterTexts('entry', 'a', 'é');
    expect(verify(new TextEncoder().encode('bytes'), Buffer.from(signature))).toBe(true);
    expect(verify(Buffer.from('bytes'), Buffer.from(`before ${signature}`), 7)).toBe(true);
    expect(verify(Buffer.from('bytes'), Buffer.from(`before ${signature} after`), 7)).toBe(false);
    expect(verify(Buffer.from('bytes'), Buffer.from(`before ${signature}`), 6)).toBe(false);
  });

  it('signs as it did in 0.1.1', () => {
    expect(signer.sign('entry', 'a', 'é', 'bytes')).toBe('gso4YxHZ0U6yRkC2QSxTldcAxAMk489x');
    expect(signer.checks).toEqual(['iANr_olTd_NXlU9II7AyX7nfQ3AoVHfx']);
  });

  it('signs bytes of any size', () => {
    const bytes = Buffer.alloc(100_000, 'é');
    expect(signer.afterTexts('entry', 'a').sign(bytes)).toBe(signer.sign('entry', 'a', bytes.toString()));
  });

  it.each([
    ['another kind', ['mark', 'a', 'b']],
    ['another part', ['entry', 'a', 'c']],
    ['a part less', ['entry', 'a']],
    ['an additional part, even an empty one', ['entry', 'a', 'b', '']],
    ['the parts in another order', ['entry', 'b', 'a']],
    ['the parts divided differently', ['entry', 'ab']],
    ['the parts divided differently, beside an empty one', ['entry', '', 'ab']],
    ['the kind divided differently', ['entrya', 'b']],
    ['lengths that are written into a part', ['entry', '1,1;ab']],
  ] as const)('does not accept a signature for %s', (_, [kind, ...parts]) => {
    expect(signer.verify(signer.sign('entry', 'a', 'b'), kind, ...parts)).toBe(false);
  });

  it('does not accept a text that is no signature, nor a signature with any character changed', () => {
    const signature = signer.sign('entry', 'a');
    const accepts = (text: string): boolean =>
      signer.verify(text, 'entry', 'a') || signer.afterTexts('entry').verify(Buffer.from('a'), Buffer.from(text));
    for (const text of ['', 'a', signature.slice(1), `${signature}A`, `${signature}\0`, 'é'.repeat(32), 'é'.repeat(16)]) {
      expect(accepts(text)).toBe(false);
    }
    for (let at = 0; at < signature.length; at += 1) {
      const changed = `${signature.slice(0, at)}${signature[at] === 'A' ? 'B' : 'A'}${signature.slice(at + 1)}`;
      expect(accepts(changed)).toBe(false);
    }
  });

  it('signs with the first key and accepts all keys', () => {
    const [before, both] = [createSigner([other]), createSigner([key, other])];
    expect(both.verify(before.sign('entry', 'a'), 'entry', 'a')).toBe(true);
    expect(both.sign('entry', 'a')).toBe(signer.sign('entry', 'a'));
    expect(before.verify(both.sign('entry', 'a'), 'entry', 'a')).toBe(false);
    const bytes = Buffer.from('bytes');
    expect(both.afterTexts('entry').verify(bytes, Buffer.from(before.sign('entry', 'bytes')))).toBe(true);
    expect(before.afterTexts('entry').verify(bytes, Buffer.from(both.sign('entry', 'bytes')))).toBe(false);
    expect(both.afterTexts('entry').verify(bytes, Buffer.from(signer.checks[0] ?? ''))).toBe(false);
  });

  it('has a check value for each key, which is no signature of any kind and reveals nothing of the key', () => {
    const { checks } = createSigner([key, other]);
    expect(checks).toEqual([...signer.checks, ...createSigner([other]).checks]);
    expect(new Set(checks).size).toBe(2);
    for (const check of checks) expect(check).not.toContain('kk');
    expect(signer.verify(signer.checks[0] ?? '', 'entry')).toBe(false);
  });

  it('cannot be created without a key, nor with a short one', () => {
    for (const keys of [[], [''], [key, 'short']]) expect(() => createSigner(keys)).toThrow(Error);
  });
});
