import { aPinpoint, make } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const harmless = [
  '<p>White and <strong>red</strong>, <em>tall</em>.</p>',
  '<h2>Hours</h2><ul><li>Mon</li><li>Tue</li></ul><ol><li>One</li></ol>',
  '<p class="lead big">Lead</p>',
  '<a href="https://example.org/tower?a=1#top">Tower</a>',
  '<a href="mailto:keeper@example.org">Keeper</a>',
  '<table><thead><tr><th>Day</th></tr></thead><tbody><tr><td>Mon</td></tr></tbody></table>',
  '<blockquote>Quoted</blockquote>',
  'plain text, no markup',
];

const hostile: readonly [what: string, html: string, kept: string][] = [
  ['a script', '<p>Hi</p><script>alert(1)</script>', '<p>Hi</p>'],
  ['a script in capitals', '<p>Hi</p><SCRIPT SRC=//evil.example/x.js></SCRIPT>', '<p>Hi</p>'],
  ['a handler', '<p onclick="alert(1)">Hi</p>', '<p>Hi</p>'],
  ['a handler without quotes', '<p onmouseover=alert(1)>Hi</p>', '<p>Hi</p>'],
  ['a javascript: link', '<a href="javascript:alert(1)">Hi</a>', '<a>Hi</a>'],
  ['a disguised javascript: link', '<a href=" java\tscript:alert(1)">Hi</a>', '<a>Hi</a>'],
  ['an encoded javascript: link', '<a href="&#106;avascript:alert(1)">Hi</a>', '<a>Hi</a>'],
  ['a vbscript: link', '<a href="vbscript:msgbox(1)">Hi</a>', '<a>Hi</a>'],
  ['a data: link', '<a href="data:text/html,<script>alert(1)</script>">Hi</a>', '<a>Hi</a>'],
  ['a frame', '<p>Hi</p><iframe src="https://evil.example"></iframe>', '<p>Hi</p>'],
  ['an object', '<p>Hi</p><object data="x.swf"></object><embed src="x.swf">', '<p>Hi</p>'],
  ['a form', '<form action="https://evil.example"><input name="q"></form><p>Hi</p>', '<p>Hi</p>'],
  ['a drawing with a handler', '<svg onload="alert(1)"></svg><p>Hi</p>', '<p>Hi</p>'],
  ['a style sheet', '<style>p{color:red}</style><p>Hi</p>', '<p>Hi</p>'],
  ['a comment', '<p>Hi</p><!-- <script>alert(1)</script> -->', '<p>Hi</p>'],
  ['a base and a meta', '<base href="//evil.example"><meta http-equiv="refresh" content="0"><p>Hi</p>', '<p>Hi</p>'],
];

describe('HTML description:', () => {
  it.each(harmless)('ordinary formatting stays: %s', async (description) => {
    const me = await waymark.account();
    expect((await me.create('/pinpoints', aPinpoint({ description })))['description']).toBe(description);
  });

  it('an image stays, with its alternative text', async () => {
    const me = await waymark.account();
    const { description } = await me.create(
      '/pinpoints',
      aPinpoint({ description: '<img src="https://example.org/a.png" alt="Tower" />' }),
    );
    expect(description).toMatch(/^<img (?=.*src="https:\/\/example\.org\/a\.png")(?=.*alt="Tower").*>$/);
  });

  it.each(hostile)('%s is removed', async (_, description, kept) => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ description }));
    expect(made['description']).toBe(kept);
    expect((await me.read(`/pinpoints/${made.id}`))['description']).toBe(kept);
  });

  it.each([
    ['<a href="https://example.org" target="_blank">Tower</a>', 'noopener noreferrer'],
    ['<a href="https://example.org" target="map" rel="opener">Tower</a>', 'noopener noreferrer'],
    ['<a href="https://example.org" target="_blank" rel="nofollow OPENER">Tower</a>', 'nofollow noopener noreferrer'],
    ['<a href="https://example.org" rel="opener nofollow">Tower</a>', 'nofollow'],
  ])('a link that opens a new window gives that page no access to this one: %s', async (description, rel) => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ description }));
    expect(String(made['description'])).toContain(` rel="${rel}"`);
    const again = await me.put(`/pinpoints/${made.id}`, aPinpoint({ description: made['description'] }));
    expect(again.body).toMatchObject({ description: made['description'] });
  });

  it('an event handler on an image is removed', async () => {
    const me = await waymark.account();
    const { description } = await me.create('/pinpoints', aPinpoint({ description: '<img src="x" onerror="alert(1)">' }));
    expect(description).not.toMatch(/onerror|alert/);
  });

  it.each(['pinpoints', 'lists', 'events'])('%s are sanitised on create and on PUT', async (name) => {
    const me = await waymark.account();
    const description = '<p>Hi</p><script>alert(1)</script>';
    const made = await make(me, name, { description });
    expect(made['description']).toBe('<p>Hi</p>');
    const { media_url: _, ...fields } = made;
    const changed = await me.put(`/${name}/${made.id}`, { ...fields, description: `<b>New</b>${description}` });
    expect(changed.body).toEqual({ ...made, description: '<b>New</b><p>Hi</p>' });
  });

  it.each([...harmless, ...hostile.map(([, html]) => html), 'Fish & chips < 5 €', '<p>open'])(
    'sending back the stored description changes nothing: %s',
    async (description) => {
      const me = await waymark.account();
      const made = await me.create('/pinpoints', aPinpoint({ description }));
      const before = await me.get(`/pinpoints/${made.id}`);
      const again = await me.put(`/pinpoints/${made.id}`, aPinpoint({ description: made['description'] }));
      expect(again.body).toEqual(before.body);
      expect(again.headers.etag).toBe(before.headers.etag);
    },
  );

  it.each(['name', 'address', 'media_credits'])('%s is plain text and stays as it is', async (field) => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ [field]: 'A < B & <b>C</b>' }));
    expect(made[field]).toBe('A < B & <b>C</b>');
  });
});
