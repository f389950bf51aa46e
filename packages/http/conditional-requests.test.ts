import type { IncomingMessage } from 'node:http';
import { createEntityTags, isCurrent, mayChange } from './conditional-requests.ts';

const base = 'https://maps.example';
const tags = createEntityTags('0190b7f2-6a51-7cc0', base);
const tag = tags(41);

const asking = (ifNoneMatch: string | undefined): IncomingMessage =>
  Object.assign(Object.create(null) as IncomingMessage, { headers: { 'if-none-match': ifNoneMatch } });

describe('an entity tag', () => {
  it('is strong, and differs by revision', () => {
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(new Set([0, 1, 41, 1_000_000].map(tags)).size).toBe(4);
  });

  it('is the same in every process, but differs by log and by base URL', () => {
    expect(createEntityTags('0190b7f2-6a51-7cc0', base)(41)).toBe(tag);
    expect(createEntityTags('0190b7f2-6a51-7cc1', base)(41)).not.toBe(tag);
    expect(createEntityTags('0190b7f2-6a51-7cc0', 'https://other.example')(41)).not.toBe(tag);
  });
});

describe('If-None-Match', () => {
  it.each([tag, `W/${tag}`, '*', ' * ', `"x", ${tag}`, `"x",W/${tag} ,"y"`])('matches the current tag: %s', (header) => {
    expect(isCurrent(asking(header), tag)).toBe(true);
  });

  it.each([undefined, '', '"x"', tag.slice(1, -1), `${tag}x`, tags(42), 'W/*'])('does not match the current tag: %s', (header) => {
    expect(isCurrent(asking(header), tag)).toBe(false);
  });
});

describe('If-Match', () => {
  it.each([undefined, tag, '*', ' * ', `"x", ${tag}`])('allows a change: %s', (header) => {
    expect(mayChange(header, tag)).toBe(true);
  });

  it.each(['', '"x"', `W/${tag}`, tag.slice(1, -1), tags(40), '"*"'])('does not allow a change: %s', (header) => {
    expect(mayChange(header, tag)).toBe(false);
  });
});
