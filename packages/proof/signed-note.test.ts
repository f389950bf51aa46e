import fc from 'fast-check';
import { createNoteSigner, InvalidKey, InvalidNote, openNote, parseVerifierKey } from './signed-note.ts';

// A published example: the documentation of the Go package golang.org/x/mod/sumdb/note.
const publishedKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const publishedText = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const publishedNote = `${publishedText}\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;

const signer = createNoteSigner('waymark/a', Buffer.alloc(32, 1));
const other = createNoteSigner('waymark/a', Buffer.alloc(32, 2));
const [key, otherKey] = [parseVerifierKey(signer.verifierKey), parseVerifierKey(other.verifierKey)];
const signed = signer.sign('one\n\ntwo\n');

describe('a signed note', () => {
  it('is the published one', () => {
    expect(openNote(publishedNote, [parseVerifierKey(publishedKey)]).text).toBe(publishedText);
  });

  it('opens under one of the trusted keys, and says under which', () => {
    expect(openNote(signed, [otherKey, key])).toMatchObject({ text: 'one\n\ntwo\n', key: { text: signer.verifierKey } });
  });

  it('has signatures of several keys; those of unknown keys are ignored', () => {
    const both = signed + other.sign('one\n\ntwo\n').slice('one\n\ntwo\n\n'.length);
    expect(openNote(both, [key]).key.text).toBe(signer.verifierKey);
    expect(openNote(both, [otherKey]).key.text).toBe(other.verifierKey);
  });

  it('is refused if no trusted key has signed it, or if the signature of one is wrong', () => {
    expect(() => openNote(signed, [otherKey])).toThrow(`No trusted key has signed it, only waymark/a+${key.id.toString('hex')}.`);
    expect(() => openNote(signed, [])).toThrow(InvalidNote);
    expect(() => openNote(signed.replace('two', 'six'), [key])).toThrow('The signature under the key waymark/a is wrong.');
  });

  it('is refused if any character is changed, removed or added', () => {
    fc.assert(
      fc.property(fc.nat(signed.length - 1), fc.constantFrom('', 'A', '1', '\n', ' ', '+', 'é', '\u0000'), (at, put) => {
        const changed = signed.slice(0, at) + put + signed.slice(at + 1);
        const added = signed.slice(0, at) + put + signed.slice(at);
        for (const one of [changed, added]) if (one !== signed) expect(() => openNote(one, [key])).toThrow(InvalidNote);
      }),
    );
  });

  it.each([
    ['no signature', 'one\n'],
    ['no line after the empty one', 'one\n\n'],
    ['no newline at its end', signed.trimEnd()],
    ['a control character', signed.replace('one', 'o\te')],
    ['a hyphen instead of the dash', signed.replace('—', '-')],
    ['too many characters', `${'x'.repeat(70_000)}\n\n${signed}`],
    ['too many signatures', signed + (signed.split('\n').at(-2) ?? '').concat('\n').repeat(100)],
  ])('is refused with %s', (_, note) => {
    expect(() => openNote(note, [key])).toThrow(InvalidNote);
  });
});

describe('a verifier key', () => {
  it('is read as it was written', () => {
    expect(key).toMatchObject({ name: 'waymark/a', text: signer.verifierKey });
    expect(signer.verifierKey).toMatch(/^waymark\/a\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/);
  });

  it.each([
    ['', 'It is no verifier key'],
    ['a+b', 'It is no verifier key'],
    [publishedKey.replace('Peter', 'Peter '), 'It is no verifier key'],
    [publishedKey.replace('c74f20a3', 'c74f20a4'), 'The id of the key PeterNeumann does not match its name and bytes.'],
    [publishedKey.replace('Peter', 'Pieter'), 'The id of the key PieterNeumann does not match its name and bytes.'],
    [publishedKey.replace('+ARpc', '+AhpC'), 'The key PeterNeumann is no Ed25519 key.'],
    [publishedKey.slice(0, -4), 'The key PeterNeumann is no Ed25519 key.'],
  ])('is refused: %s', (text, message) => {
    expect(() => parseVerifierKey(text)).toThrow(InvalidKey);
    expect(() => parseVerifierKey(text)).toThrow(message);
  });

  it('is made from a seed of 32 bytes and a name without blanks', () => {
    expect(() => createNoteSigner('waymark a', Buffer.alloc(32))).toThrow(InvalidKey);
    expect(() => createNoteSigner('waymark', Buffer.alloc(31))).toThrow('A private key has 32 bytes.');
  });
});
