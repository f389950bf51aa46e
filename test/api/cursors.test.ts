import { statusAndBody } from './client.ts';
import { aList, make, members } from './samples.ts';
import type { Session } from './session.ts';
import { describeWith, useTarget } from './target.ts';

const waymark = useTarget();

const invalidPage = { status: 404, body: { detail: 'Invalid page.' } };

/** Creates three lists. Returns the URL of the second page, with one list per page. */
const aSecondPage = async (): Promise<{ me: Session; next: URL }> => {
  const me = await waymark.account();
  for (let made = 0; made < 3; made += 1) await me.create('/lists', aList());
  return { me, next: new URL((await me.page('/lists?limit=1')).next ?? '') };
};

/** Returns the parameter that carries the cursor. It is the longest one: the test does not rely on the format of the URL. */
const cursorOf = (url: URL): [name: string, value: string] => {
  const [longest] = [...url.searchParams].sort(([, one], [, other]) => other.length - one.length);
  if (longest === undefined) throw new Error(`no cursor in ${url}`);
  return longest;
};

const withCursor = (url: URL, change: (cursor: string) => string): string => {
  const changed = new URL(url);
  const [name, value] = cursorOf(url);
  changed.searchParams.set(name, change(value));
  return changed.href;
};

const otherCharacter = (character: string | undefined): string => (character === 'A' ? 'B' : 'A');

describe('next, previous: a cursor', () => {
  it('that was changed at any position: 404', async () => {
    const { me, next } = await aSecondPage();
    const { length } = cursorOf(next)[1];
    // The last character may contain bits that belong to no byte.
    for (let at = 0; at < length - 1; at += 1) {
      const tampered = withCursor(next, (cursor) => `${cursor.slice(0, at)}${otherCharacter(cursor[at])}${cursor.slice(at + 1)}`);
      expect(statusAndBody(await me.get(tampered))).toEqual(invalidPage);
    }
  });

  it.each([
    ['cut short', (cursor: string) => cursor.slice(0, -4)],
    ['lengthened', (cursor: string) => `${cursor}AAAA`],
    ['doubled', (cursor: string) => cursor + cursor],
    ['reversed', (cursor: string) => [...cursor].reverse().join('')],
    ['an id', () => '7'],
    ['something of another kind', () => '{"after":0}'],
    ['a quote', () => "' OR 1=1 --"],
    ['a NUL', () => '\0'],
    ['very long', () => 'A'.repeat(4_000)],
  ])('%s: 404', async (_, change) => {
    const { me, next } = await aSecondPage();
    expect(statusAndBody(await me.get(withCursor(next, change)))).toEqual(invalidPage);
  });

  it('of another account: 404', async () => {
    const { next } = await aSecondPage();
    const other = (await aSecondPage()).me;
    expect(statusAndBody(await other.get(next.href))).toEqual(invalidPage);
  });

  it.each(['pinpoints', 'categories', 'events'])('of another endpoint: 404 on %s', async (name) => {
    const { me, next } = await aSecondPage();
    await make(me, name);
    expect(statusAndBody(await me.get(next.href.replace('/lists', `/${name}`)))).toEqual(invalidPage);
  });

  it('of another filter: 404', async () => {
    const me = await waymark.account();
    const lists = [(await make(me, 'lists')).id, (await make(me, 'lists')).id];
    const pinpoints = [(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id];
    for (const list of lists) await me.post(`/lists/${list}/pinpoints`, members(...pinpoints));
    const next = new URL((await me.page(`/pinpoints?list=${lists[0]}&limit=1`)).next ?? '');
    next.searchParams.set('list', String(lists[1]));
    expect(statusAndBody(await me.get(next.href))).toEqual(invalidPage);
  });

  it('of another application in the same account is accepted', async () => {
    const { me, next } = await aSecondPage();
    const colleague = await waymark.session(await waymark.application(me.application.account));
    expect((await colleague.page(next.href)).results).toEqual((await me.page(next.href)).results);
  });

  it('shows no id in plain text', async () => {
    const { next } = await aSecondPage();
    const [, cursor] = cursorOf(next);
    expect(cursor.length).toBeGreaterThan(20);
    expect(cursor).toMatch(/^[\w.~-]+$/);
  });
});

describeWith('next, previous: with a public base URL,', { WAYMARK_PUBLIC_URL: 'https://maps.example' }, (server) => {
  it('pages link to that URL', async () => {
    const me = await server.account();
    for (let made = 0; made < 3; made += 1) await me.create('/lists', aList());
    const first = await me.page('/lists?limit=1');
    const second = await me.page(first.next ?? '');
    for (const url of [first.next, second.next, second.previous]) expect(url).toMatch(/^https:\/\/maps\.example\/v3\.0\/lists\?/);
  });
});
