import { faults, statusAndBody } from './client.ts';
import { aFile, type FileObject, fileMax, fileOf, picture, pictureTypes, pngClaiming, pngOfSize } from './pictures.ts';
import { aCategory, aPinpoint, make, resourceNamed } from './samples.ts';
import type { Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

/** The resources that accept a file, each with the field of the request and the field of the response. */
const places: readonly [resource: string, field: string, shownAs: string][] = [
  ['pinpoints', 'media_file', 'media_url'],
  ['categories', 'image_file', 'image_url'],
  ['events', 'media_file', 'media_url'],
];

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>');

const postFile = (me: Session, file: unknown): ReturnType<Session['post']> => me.post('/pinpoints', aPinpoint({ media_file: file }));

/** The expected refusal at one field of the file object. */
const refusedAt = (field: keyof FileObject): unknown => ({ status: 400, body: { media_file: { [field]: [expect.any(String)] } } });

describe('content:', () => {
  it.each(places)('base64 is stored and returned byte for byte: %s, %s', async (resource, field, shownAs) => {
    const me = await waymark.account();
    const bytes = await picture();
    const made = await make(me, resource, { [field]: fileOf(bytes) });
    const stored = await waymark.send({ method: 'GET', path: new URL(String(made[shownAs])).pathname });
    expect(stored.bytes.equals(bytes)).toBe(true);
  });

  it('a data: prefix with the same type is accepted', async () => {
    const me = await waymark.account();
    const file = await aFile('image/jpeg');
    const answer = await postFile(me, { ...file, content: `data:image/jpeg;base64,${file.content}` });
    expect(answer.body).toMatchObject({ media_url: expect.stringContaining('/media/') });
  });

  it.each([
    ['a data: prefix of another type', (content: string) => `data:image/png;base64,${content}`],
    ['a data: prefix without base64', (content: string) => `data:image/jpeg,${content}`],
    ['text that is not base64', () => 'not base64!'],
    ['a line break', (content: string) => `${content.slice(0, 8)}\n${content.slice(8)}`],
    ['a space', (content: string) => ` ${content}`],
    ['the URL alphabet', (content: string) => `-_${content.slice(2)}`],
    ['padding left out', () => 'iVBORw0KGgo'],
    ['padding in the middle', (content: string) => `aGk=${content}`],
    ['nothing', () => ''],
  ])('%s is refused', async (_, spoil) => {
    const me = await waymark.account();
    const file = await aFile('image/jpeg');
    expect(statusAndBody(await postFile(me, { ...file, content: spoil(file.content) }))).toEqual(refusedAt('content'));
  });

  it.each(places)('all missing fields of a file are reported: %s, %s', async (resource, field) => {
    const me = await waymark.account();
    const answer = await me.post(`/${resource}`, await resourceNamed(resource).body(me, { [field]: {} }));
    const required = ['This field is required.'];
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { [field]: { content: required, name: required, type: required } } });
  });

  it.each(['content', 'name', 'type'] as const)('%s of another JSON type is refused', async (part) => {
    const me = await waymark.account();
    expect(statusAndBody(await postFile(me, { ...(await aFile()), [part]: 7 }))).toEqual(refusedAt(part));
    expect(statusAndBody(await postFile(me, { ...(await aFile()), [part]: null }))).toEqual(refusedAt(part));
  });
});

describe('Types:', () => {
  it.each(pictureTypes)('%s is accepted and served with that type', async (type) => {
    const me = await waymark.account();
    const { media_url } = await me.create('/pinpoints', aPinpoint({ media_file: await aFile(type) }));
    const stored = await waymark.send({ method: 'GET', path: new URL(String(media_url)).pathname });
    expect(stored.headers['content-type']).toBe(type);
  });

  it.each(pictureTypes.flatMap((claimed) => pictureTypes.filter((real) => real !== claimed).map((real) => [claimed, real] as const)))(
    'a file declared as %s that is %s is refused',
    async (claimed, real) => {
      const me = await waymark.account();
      const answer = await postFile(me, fileOf(await picture(real), claimed));
      expect(faults(answer)).toEqual(['media_file']);
    },
  );

  it.each([
    ['SVG', svg, 'image/svg+xml'],
    ['SVG as PNG', svg, 'image/png'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['HTML as GIF', Buffer.from('<html><script>alert(1)</script></html>'), 'image/gif'],
    ['BMP', Buffer.from('BM'.padEnd(64, '\0')), 'image/bmp'],
    ['no type at all', svg, ''],
    ['a type of any case', svg, 'IMAGE/SVG+XML'],
    ['a signature and nothing after it', Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png'],
  ])('%s is refused', async (_, bytes, type) => {
    const me = await waymark.account();
    const answer = await postFile(me, fileOf(bytes, type, 'file.png'));
    expect(faults(answer)).toEqual(['media_file']);
  });

  it('a picture with too many pixels is refused', async () => {
    const me = await waymark.account();
    expect((await postFile(me, fileOf(pngClaiming(60_000, 60_000)))).status).toBe(400);
  });
});

describe('name:', () => {
  it.each(['a.png', '../../etc/passwd.png', '/etc/passwd.png', 'C:\\x.png', 'ein Bild.PNG', '図.png'])(
    '%s is accepted and never part of a path',
    async (name) => {
      const me = await waymark.account();
      const { media_url } = await me.create('/pinpoints', aPinpoint({ media_file: { ...(await aFile()), name } }));
      const { pathname } = new URL(String(media_url));
      expect(pathname).toMatch(/^\/media\/[\w-]+\.png$/i);
      expect((await waymark.send({ method: 'GET', path: pathname })).status).toBe(200);
    },
  );

  it('255 characters are accepted, 256 are refused', async () => {
    const me = await waymark.account();
    const file = await aFile();
    expect((await postFile(me, { ...file, name: `${'😀'.repeat(251)}.png` })).status).toBe(201);
    expect(statusAndBody(await postFile(me, { ...file, name: `${'a'.repeat(252)}.png` }))).toEqual(refusedAt('name'));
  });

  it.each(['picture', '', 'picture.'])('%j is refused', async (name) => {
    const me = await waymark.account();
    expect(statusAndBody(await postFile(me, { ...(await aFile()), name }))).toEqual(refusedAt('name'));
  });
});

describe('Size:', () => {
  it.each(places)('5 MiB are accepted: %s, %s', async (resource, field, shownAs) => {
    const me = await waymark.account();
    const made = await make(me, resource, { [field]: fileOf(await pngOfSize(fileMax)) });
    const stored = await waymark.send({ method: 'GET', path: new URL(String(made[shownAs])).pathname });
    expect(stored.bytes).toHaveLength(fileMax);
  });

  it.each(places)('one byte more is refused: %s, %s', async (resource, field) => {
    const me = await waymark.account();
    const body = await resourceNamed(resource).body(me, { [field]: fileOf(await pngOfSize(fileMax + 1)) });
    const refusal = { status: 413, body: { detail: `${field}: larger than 5 MiB.` } };
    expect(statusAndBody(await me.post(`/${resource}`, body))).toEqual(refusal);
    const { id } = await make(me, resource);
    expect(statusAndBody(await me.put(`/${resource}/${id}`, body))).toEqual(refusal);
  });

  it('the body limit leaves room for the longest texts beside the largest file', async () => {
    const me = await waymark.account();
    const fields = aPinpoint({
      description: '😀'.repeat(100_000),
      address: '😀'.repeat(1_000),
      media_credits: '😀'.repeat(1_000),
      tags: Array.from({ length: 100 }, (_, at) => `${'😀'.repeat(97)}${100 + at}`),
      media_file: fileOf(await pngOfSize(fileMax)),
    });
    // As the most verbose serialisers write it: every character beyond ASCII as an escape.
    const body = JSON.stringify(fields).replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    const answer = await me.send('POST', '/pinpoints', { headers: { 'Content-Type': 'application/json' }, body });
    expect(answer.status).toBe(201);
  });

  it('a body larger than every limit is refused', async () => {
    const me = await waymark.account();
    const answer = await me.post('/categories', await aCategory({ name: 'x'.repeat(16 * 1024 * 1024) }));
    expect(statusAndBody(answer)).toEqual({ status: 413, body: { detail: expect.any(String) } });
  });

  const json = { 'Content-Type': 'application/json' };
  const padded = (body: object, bytes: number): string => JSON.stringify(body).padEnd(bytes, ' ');
  const refused = { status: 413, body: { detail: expect.any(String) } };

  it('a body of up to 8 MiB is accepted where a file is allowed, a larger one is refused', async () => {
    const me = await waymark.account();
    const send = (bytes: number) => me.send('POST', '/pinpoints', { headers: json, body: padded(aPinpoint(), bytes) });
    expect((await send(8 * 1024 * 1024)).status).toBe(201);
    expect(statusAndBody(await send(8 * 1024 * 1024 + 1))).toEqual(refused);
  });

  it('a body of up to 2 MiB is accepted where no file is allowed, a larger one is refused', async () => {
    const me = await waymark.account();
    const { id } = await me.create('/lists', { name: 'Walks' });
    const [most, more] = [2 * 1024 * 1024, 2 * 1024 * 1024 + 1];
    expect((await me.send('POST', '/lists', { headers: json, body: padded({ name: 'Walks' }, most) })).status).toBe(201);
    expect(statusAndBody(await me.send('POST', '/lists', { headers: json, body: padded({ name: 'Walks' }, more) }))).toEqual(refused);
    expect(statusAndBody(await me.send('PUT', `/lists/${id}`, { headers: json, body: padded({ name: 'Walks' }, more) }))).toEqual(refused);
    for (const method of ['POST', 'DELETE'] as const) {
      expect((await me.send(method, `/lists/${id}/pinpoints`, { headers: json, body: padded([], most) })).status).toBe(200);
      expect(statusAndBody(await me.send(method, `/lists/${id}/pinpoints`, { headers: json, body: padded([], more) }))).toEqual(refused);
    }
  });

  it('the body of a token request may have up to 16 KiB', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const send = (bytes: number) =>
      waymark.send({ method: 'POST', path: '/v3.0/oauth2/token', headers, body: 'grant_type=client_credentials&x='.padEnd(bytes, 'x') });
    expect((await send(16 * 1024)).status).toBe(401);
    expect(statusAndBody(await send(16 * 1024 + 1))).toEqual(refused);
  });
});

describe('JSON values of a body:', () => {
  const headers = { 'Content-Type': 'application/json' };
  const tooMany = { status: 400, body: { detail: 'JSON parse error - more than 20000 values' } };
  const ignored = (json: string): string => `{"name":"Walks","latitude":1,"longitude":1,"x":${json}}`;

  it.each([
    ['keys', `{${Array.from({ length: 800_000 }, (_, nth) => `"${nth.toString(36)}":1`).join(',')}}`],
    ['empty objects', `[${'{},'.repeat(2_000_000)}{}]`],
    ['numbers', `[${'1,'.repeat(4_000_000)}1]`],
    ['nested arrays', `[${'[[[]]],'.repeat(900_000)}[]]`],
  ])('more than 20,000 are refused: %s', async (_, json) => {
    const me = await waymark.account();
    expect(statusAndBody(await me.send('POST', '/pinpoints', { headers, body: ignored(json) }))).toEqual(tooMany);
  });

  it('a description of 100,000 braces counts as one', async () => {
    const me = await waymark.account();
    const description = '{'.repeat(100_000);
    expect(await me.create('/pinpoints', aPinpoint({ description }))).toMatchObject({ description });
  });

  it.each([1_001, 9_000])('%d members are refused because they are too many', async (count) => {
    const me = await waymark.account();
    const { id } = await me.create('/lists', { name: 'Walks' });
    const members = Array.from({ length: count }, (_, nth) => ({ id: nth + 1 }));
    expect(statusAndBody(await me.post(`/lists/${id}/pinpoints`, members))).toEqual({
      status: 400,
      body: { non_field_errors: ['Ensure this field has no more than 1000 elements.'] },
    });
  });
});
