import { createHash } from 'node:crypto';
import { type Answer, statusAndBody } from './client.ts';
import { aFile, fileOf, picture } from './pictures.ts';
import { aCategory, aPinpoint, make } from './samples.ts';
import { bodyOf, type Thing } from './session.ts';
import { describeWith, useTarget } from './target.ts';

const waymark = useTarget();

const fetched = (url: unknown, method = 'GET'): Promise<Answer> => waymark.send({ method, path: new URL(String(url)).pathname });

/** Time for a command that reads the whole log. On shared engines, other tests may have filled the log. */
const wholeLogWithinMs = 300_000;

const noMedia = [
  '/media/',
  '/media/AAAAAAAAAAAAAAAAAAAAAA.png',
  '/media/..%2foperator.json',
  '/media/%2e%2e/operator.json',
  '/media/../operator.json',
  '/media/%00.png',
  '/media/a/b.png',
];

describe('Stored:', () => {
  it('every upload has a name of its own, of 128 random bits', async () => {
    const me = await waymark.account();
    const media_file = await aFile();
    const urls = [await me.create('/pinpoints', aPinpoint({ media_file })), await me.create('/pinpoints', aPinpoint({ media_file }))].map(
      ({ media_url }) => String(media_url),
    );
    expect(new Set(urls).size).toBe(2);
    for (const url of urls) expect(url).toMatch(/\/media\/([0-9a-f]{32,}|[\w-]{22,})\.png$/);
  });

  it('the name reveals nothing about the content', async () => {
    const me = await waymark.account();
    const bytes = await picture();
    const { media_url } = await me.create('/pinpoints', aPinpoint({ media_file: fileOf(bytes) }));
    const digest = createHash('sha256').update(bytes);
    const hex = digest.copy().digest('hex').slice(0, 16);
    const base64 = digest.digest('base64url').slice(0, 12);
    expect(String(media_url)).not.toContain(hex);
    expect(String(media_url)).not.toContain(base64);
  });

  it('the same file again is no change', async () => {
    const me = await waymark.account();
    const media_file = await aFile();
    const made = await me.create('/pinpoints', aPinpoint({ media_file }));
    const before = await me.get(`/pinpoints/${made.id}`);
    const again = await me.put(`/pinpoints/${made.id}`, aPinpoint({ media_file: { ...media_file, name: 'other.png' } }));
    expect(statusAndBody(again)).toEqual({ status: 200, body: made });
    expect(again.headers.etag).toBe(before.headers.etag);
  });

  it('the same image again is no change of a category', async () => {
    const me = await waymark.account();
    const body = await aCategory();
    const made = await me.create('/categories', body);
    const before = await me.get(`/categories/${made.id}`);
    const again = await me.put(`/categories/${made.id}`, body);
    expect([again.body, again.headers.etag]).toEqual([made, before.headers.etag]);
  });

  it('another file has another URL, and the previous URL keeps working', async () => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    const changed = bodyOf<Thing>(await me.put(`/pinpoints/${made.id}`, aPinpoint({ media_file: await aFile('image/webp') })), 200);
    expect(changed['media_url']).not.toBe(made['media_url']);
    expect((await fetched(made['media_url'])).headers['content-type']).toBe('image/png');
    expect((await fetched(changed['media_url'])).headers['content-type']).toBe('image/webp');
  });

  it('a URL keeps working after the file is removed from its object, and after the object is deleted', async () => {
    const me = await waymark.account();
    const [removed, deleted] = [
      await me.create('/pinpoints', aPinpoint({ media_file: await aFile() })),
      await me.create('/pinpoints', aPinpoint({ media_file: await aFile() })),
    ];
    expect((await me.put(`/pinpoints/${removed.id}`, aPinpoint({ media_file: null }))).body).toMatchObject({ media_url: null });
    expect((await me.delete(`/pinpoints/${deleted.id}`)).status).toBe(204);
    for (const { media_url } of [removed, deleted]) expect((await fetched(media_url)).status).toBe(200);
  });

  it('a refused request stores no change', async () => {
    const me = await waymark.account();
    const made = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    const answer = await me.put(`/pinpoints/${made.id}`, aPinpoint({ media_file: await aFile(), category: 'x' }));
    expect(answer.status).toBe(400);
    expect(await me.read(`/pinpoints/${made.id}`)).toEqual(made);
  });

  it(
    "an operator's command removes no file that an event names",
    async () => {
      const me = await waymark.account();
      const { id, media_url } = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
      await me.put(`/pinpoints/${id}`, aPinpoint({ media_file: null }));
      expect((await waymark.operator('POST', '/media/prune')).status).toBe(200);
      expect((await fetched(media_url)).status).toBe(200);
    },
    wholeLogWithinMs,
  );
});

describe('URL:', () => {
  it.each([
    ['pinpoints', 'media_file', 'media_url'],
    ['categories', 'image_file', 'image_url'],
    ['events', 'media_file', 'media_url'],
  ])('is public, immutable and sandboxed: %s', async (resource, field, shownAs) => {
    const me = await waymark.account();
    const bytes = await picture('image/gif');
    const made = await make(me, resource, { [field]: fileOf(bytes, 'image/gif') });
    expect(String(made[shownAs])).toMatch(/^https?:\/\/[^/]+\/media\/[^/?#]+\.gif$/);
    const { status, headers } = await fetched(made[shownAs]);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/gif',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
  });

  it('is absolute, on the public base URL, whatever the Host header contains', async () => {
    const me = await waymark.account();
    const { media_url } = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    expect(String(media_url).startsWith(`${waymark.url()}/media/`)).toBe(true);
    const answer = await me.post('/pinpoints', aPinpoint({ media_file: await aFile() }), { Host: 'evil.example' });
    expect(answer.text).not.toContain('evil.example');
  });

  it('HEAD gives the same headers and no body', async () => {
    const me = await waymark.account();
    const { media_url } = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    const [got, head] = [await fetched(media_url), await fetched(media_url, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it.each(noMedia)('a file that was never stored is not found: %s', async (path) => {
    const answer = await waymark.send({ method: 'GET', path });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('"token"');
  });
});

describeWith('URL: with a public base URL,', { WAYMARK_PUBLIC_URL: 'https://maps.example' }, (server) => {
  it('files are under that URL', async () => {
    const me = await server.account();
    const { media_url } = await me.create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    expect(media_url).toMatch(/^https:\/\/maps\.example\/media\//);
    expect((await server.send({ method: 'GET', path: new URL(String(media_url)).pathname })).status).toBe(200);
  });
});
