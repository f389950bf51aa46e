import { compareDescriptions } from './descriptions.ts';
import { linkLimits } from './limits.ts';
import { compareLinks } from './links.ts';

describe('Comparing the links of two descriptions', () => {
  const links = (from: string, to: string) => compareDescriptions(from, to).links;

  it('lists the changed targets of links and sources of images', () => {
    const from = '<a href="/a">a</a> <a href="/same">b</a> <img src="/one.png">';
    const to = '<a href="/b">a</a> <a href="/same">b</a> <img src="/two.png">';
    expect(links(from, to)).toEqual([
      { attribute: 'href', old: '/a', new: '/b' },
      { attribute: 'src', old: '/one.png', new: '/two.png' },
    ]);
  });

  it('lists links that were added and removed', () => {
    expect(links('a', '<a href="/a">a</a>')).toEqual([{ attribute: 'href', old: null, new: '/a' }]);
    expect(links('<a href="/a">a</a><a href="/b">b</a>', '<a href="/b">b</a>')).toEqual([{ attribute: 'href', old: '/a', new: null }]);
  });

  it('lists nothing where only the words of a link changed', () => {
    expect(links('<a href="/a">a</a>', '<a href="/a">b</a>')).toEqual([]);
  });

  it('pairs all links between the first and the last difference if there are too many edits', () => {
    const between = (count: number, prefix: string): readonly string[] =>
      Array.from({ length: count }, (_, nth) => [`/${prefix}${nth}`, '/same']).flat();
    const compare = (count: number) => compareLinks('href', between(count, 'a'), between(count, 'b'));
    const { editsMax } = linkLimits;
    expect(compare(editsMax / 2).complete).toBe(true);
    expect(compare(editsMax / 2).changes).toHaveLength(editsMax / 2);
    expect(compare(editsMax).complete).toBe(false);
    expect(compare(editsMax).changes).toHaveLength(2 * editsMax - 1);
  });
});
