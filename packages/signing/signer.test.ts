import { createSigner } from './signer.ts';

const [key, other] = ['k'.repeat(32), 'o'.repeat(32)];
const signer = createSigner([key]);

describe('a signer', () => {
  it('verifies its signature: 192 bits, the same for the same text and bytes', () => {
    const signature = signer.sign('entry', 'a', Buffer.from('bytes'), 'é');
    expect(signature).toMatch(/^[\w-]{32}$/);
    expect(signer.sign('entry', 'a', 'bytes', Buffer.from('é'))).toBe(signature);
    expect(signer.verify(signature, 'entry', 'a', new TextEncoder().encode('bytes'), 'é')).toBe(true);
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
    for (const text of ['', 'a', signature.slice(1), `${signature}A`, 'é'.repeat(32), 'é'.repeat(16)]) {
      expect(signer.verify(text, 'entry', 'a')).toBe(false);
    }
    for (let at = 0; at < signature.length; at += 1) {
      const changed = `${signature.slice(0, at)}${signature[at] === 'A' ? 'B' : 'A'}${signature.slice(at + 1)}`;
      expect(signer.verify(changed, 'entry', 'a')).toBe(false);
    }
  });

  it('signs with the first key and accepts all keys', () => {
    const [before, both] = [createSigner([other]), createSigner([key, other])];
    expect(both.verify(before.sign('entry', 'a'), 'entry', 'a')).toBe(true);
    expect(both.sign('entry', 'a')).toBe(signer.sign('entry', 'a'));
    expect(before.verify(both.sign('entry', 'a'), 'entry', 'a')).toBe(false);
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
