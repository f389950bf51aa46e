import { text } from './text.ts';

describe('a text in an operator request', () => {
  it('is trimmed and normalised to NFC', () => {
    expect(text({ name: '  e\u0301 ' }, 'name')).toBe('é');
    expect(text({ name: '한'.normalize('NFD').repeat(255) }, 'name')).toBe('한'.repeat(255));
  });

  it.each([
    ['no text', 7],
    ['only spaces', '   '],
    ['too long', 'a'.repeat(256)],
    ['NUL', 'a\0'],
    ['an unpaired surrogate', '\ud800'],
    ['31 combining marks in a row', `x${'\u0316'.repeat(31)}`],
  ])('is refused: %s', (_, value) => {
    expect(() => text({ name: value }, 'name')).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('is never normalised if that would cost more than linear time', () => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    expect(() => text({ name: '\u0301'.repeat(400_000) }, 'name')).toThrow();
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
  });
});
