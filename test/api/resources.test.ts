import { faults, statusAndBody } from './client.ts';
import { aFile } from './pictures.ts';
import { aPinpoint, type Fields, make, resourceNamed, resources } from './samples.ts';
import { bodyOf, type Session, type Thing } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const required = 'This field is required.';
const notNull = 'This field may not be null.';

const each = (fields: readonly string[], message: string): Fields => Object.fromEntries(fields.map((field) => [field, [message]]));

/** Returns the fields that PUT requires. The image is required on create only. */
const requiredOnPut = (names: readonly string[]): string[] => names.filter((name) => name !== 'image_file');

/** The optional fields of each resource, with the field of the response and its default. */
const optional: readonly [resource: string, field: string, shownAs: string, byDefault: unknown][] = [
  ['pinpoints', 'address', 'address', ''],
  ['pinpoints', 'altitude', 'altitude', null],
  ['pinpoints', 'category', 'category', null],
  ['pinpoints', 'description', 'description', ''],
  ['pinpoints', 'media_credits', 'media_credits', ''],
  ['pinpoints', 'media_file', 'media_url', null],
  ['pinpoints', 'tags', 'tags', []],
  ['lists', 'description', 'description', ''],
  ['events', 'description', 'description', ''],
  ['events', 'media_credits', 'media_credits', ''],
  ['events', 'media_file', 'media_url', null],
  ['events', 'tags', 'tags', []],
];

/** Creates an object with every field set, and a body with the required fields only. */
const prepare = async (name: string): Promise<{ me: Session; made: Thing; body: Fields }> => {
  const me = await waymark.account();
  const full = await resourceNamed(name).full(me);
  const made = await me.create(`/${name}`, full);
  const body = Object.fromEntries(requiredOnPut(resourceNamed(name).required).map((field) => [field, full[field]]));
  return { me, made, body };
};

const names = resources.map(({ name }) => name);

describe('Required on create and on PUT:', () => {
  it.each(resources.map(({ name, required }) => [name, required] as const))('%s are created with %j and nothing else', async (name) => {
    const me = await waymark.account();
    expect((await me.post(`/${name}`, await resourceNamed(name).body(me))).status).toBe(201);
  });

  it.each(names)('an empty body for %s is refused with every missing field', async (name) => {
    const me = await waymark.account();
    expect(statusAndBody(await me.post(`/${name}`, {}))).toEqual({
      status: 400,
      body: each(resourceNamed(name).required, required),
    });
  });

  it.each(names)('an empty PUT of %s is refused with every missing field', async (name) => {
    const me = await waymark.account();
    const { id } = await make(me, name);
    const body = each(requiredOnPut(resourceNamed(name).required), required);
    expect(statusAndBody(await me.put(`/${name}/${id}`, {}))).toEqual({ status: 400, body });
  });

  it('several dates are accepted as well as one', async () => {
    const me = await waymark.account();
    const range = { start: '2030-01-01T00:00:00.000Z', end: '2030-01-02T00:00:00.000Z' };
    expect((await make(me, 'events', { dates: [range, range] }))['dates']).toEqual([range, range]);
  });
});

describe('PUT:', () => {
  it.each(names)('an omitted optional field of %s stays as it is', async (name) => {
    const { me, made, body } = await prepare(name);
    const answer = await me.put(`/${name}/${made.id}`, { ...body, name: 'Renamed' });
    expect(statusAndBody(answer)).toEqual({ status: 200, body: { ...made, name: 'Renamed' } });
  });

  it.each(optional)('null on create means its default: %s, %s', async (name, field, shownAs, byDefault) => {
    const me = await waymark.account();
    expect((await make(me, name, { [field]: null }))[shownAs]).toEqual(byDefault);
  });

  it.each(optional)('null on PUT means its default: %s, %s', async (name, field, shownAs, byDefault) => {
    const { me, made, body } = await prepare(name);
    expect(made[shownAs]).not.toEqual(byDefault);
    const answer = await me.put(`/${name}/${made.id}`, { ...body, [field]: null });
    expect(statusAndBody(answer)).toEqual({ status: 200, body: { ...made, [shownAs]: byDefault } });
    expect(await me.read(`/${name}/${made.id}`)).toEqual({ ...made, [shownAs]: byDefault });
  });

  it.each(optional.filter(([, field]) => /description|address|media_credits|tags/.test(field)))(
    'an empty value is allowed: %s, %s',
    async (name, field, shownAs, empty) => {
      const { me, made, body } = await prepare(name);
      const changed = bodyOf<Thing>(await me.put(`/${name}/${made.id}`, { ...body, [field]: empty }), 200);
      expect(changed).toEqual({ ...made, [shownAs]: empty });
      expect((await make(me, name, { [field]: empty }))[shownAs]).toEqual(empty);
    },
  );

  it.each(names)('null on every required field of %s is refused', async (name) => {
    const me = await waymark.account();
    const fields = resourceNamed(name).required;
    const nulls = Object.fromEntries(fields.map((field) => [field, null]));
    const refusal = { status: 400, body: each(fields, notNull) };
    expect(statusAndBody(await me.post(`/${name}`, nulls))).toEqual(refusal);
    const { id } = await make(me, name);
    expect(statusAndBody(await me.put(`/${name}/${id}`, nulls))).toEqual(refusal);
  });

  it.each(names)('a blank name of %s is refused', async (name) => {
    const me = await waymark.account();
    const refusal = { status: 400, body: { name: ['This field may not be blank.'] } };
    for (const blank of ['', '  \t\n ']) {
      const body = await resourceNamed(name).body(me, { name: blank });
      expect(statusAndBody(await me.post(`/${name}`, body))).toEqual(refusal);
    }
  });

  it.each(['pinpoints', 'events'])('a blank tag of %s is refused', async (name) => {
    const me = await waymark.account();
    const answer = await me.post(`/${name}`, await resourceNamed(name).body(me, { tags: ['sea', ' '] }));
    expect(faults(answer)).toEqual(['tags']);
    expect(answer.text).toContain('This field may not be blank.');
  });

  it('an empty list of dates is refused', async () => {
    const me = await waymark.account();
    const body = await resourceNamed('events').body(me, { dates: [] });
    const refusal = { status: 400, body: { dates: ['This list may not be empty.'] } };
    expect(statusAndBody(await me.post('/events', body))).toEqual(refusal);
  });

  it('an image is replaced, never removed', async () => {
    const { me, made, body } = await prepare('categories');
    const kept = await me.put(`/categories/${made.id}`, { ...body, image_file: null });
    expect(statusAndBody(kept)).toEqual({ status: 400, body: { image_file: [notNull] } });
    const replaced = bodyOf<Thing>(await me.put(`/categories/${made.id}`, { ...body, image_file: await aFile() }), 200);
    expect(replaced['image_url']).toEqual(expect.stringContaining('/media/'));
    expect(replaced['image_url']).not.toBe(made['image_url']);
  });

  it.each([
    ['pinpoints', 'name', 7, 'Not a valid string.'],
    ['pinpoints', 'name', true, 'Not a valid string.'],
    ['pinpoints', 'name', ['x'], 'Not a valid string.'],
    ['pinpoints', 'address', 7, 'Not a valid string.'],
    ['pinpoints', 'description', {}, 'Not a valid string.'],
    ['pinpoints', 'media_credits', 1.5, 'Not a valid string.'],
    ['pinpoints', 'latitude', '', 'A valid number is required.'],
    ['pinpoints', 'altitude', '', 'A valid number is required.'],
    ['pinpoints', 'category', '', 'A valid integer is required.'],
    ['pinpoints', 'tags', '', undefined],
    ['pinpoints', 'tags', {}, undefined],
    ['pinpoints', 'tags', [7], 'Not a valid string.'],
    ['pinpoints', 'tags', [null], undefined],
    ['pinpoints', 'media_file', '', undefined],
    ['pinpoints', 'media_file', [], undefined],
    ['lists', 'name', 7, 'Not a valid string.'],
    ['lists', 'description', false, 'Not a valid string.'],
    ['categories', 'image_file', 'picture.png', undefined],
    ['events', 'pinpoint', '1', 'A valid integer is required.'],
    ['events', 'dates', '', undefined],
    ['events', 'dates', {}, undefined],
    ['events', 'dates', ['2030-01-01T00:00:00.000Z'], undefined],
    ['events', 'media_credits', 7, 'Not a valid string.'],
  ] as const)('another type is refused: %s, %s: %j', async (name, field, value, message) => {
    const me = await waymark.account();
    const answer = await me.post(`/${name}`, await resourceNamed(name).body(me, { [field]: value }));
    expect(faults(answer)).toEqual([field]);
    if (message !== undefined) expect(answer.text).toContain(message);
  });

  it.each(names)('a refused PUT of %s changes nothing', async (name) => {
    const { me, made, body } = await prepare(name);
    expect((await me.put(`/${name}/${made.id}`, { ...body, description: 'Other', name: '' })).status).toBe(400);
    expect(await me.read(`/${name}/${made.id}`)).toEqual(made);
  });

  it.each(names)('PATCH of %s is not allowed', async (name) => {
    const me = await waymark.account();
    const { id } = await make(me, name);
    const answer = await me.send('PATCH', `/${name}/${id}`, { headers: { 'Content-Type': 'application/json' }, body: '{}' });
    expect(statusAndBody(answer)).toEqual({ status: 405, body: { detail: 'Method "PATCH" not allowed.' } });
  });
});

describe('PUT answer:', () => {
  it.each(names)('is the whole updated object, for %s', async (name) => {
    const { me, made, body } = await prepare(name);
    const answer = await me.put(`/${name}/${made.id}`, { ...body, name: 'Renamed' });
    expect(statusAndBody(answer)).toEqual({ status: 200, body: { ...made, name: 'Renamed' } });
    expect(statusAndBody(await me.get(`/${name}/${made.id}`))).toEqual(statusAndBody(answer));
  });
});

describe('No-op PUT:', () => {
  it.each(names)('answers 200 for %s, and the revision stays', async (name) => {
    const { me, made, body } = await prepare(name);
    const before = await me.get(`/${name}/${made.id}`);
    const answer = await me.put(`/${name}/${made.id}`, body);
    expect(statusAndBody(answer)).toEqual(statusAndBody(before));
    expect(answer.headers.etag).toBe(before.headers.etag);
    expect((await me.get(`/${name}/${made.id}`)).headers.etag).toBe(before.headers.etag);
  });

  it('a real change moves the revision', async () => {
    const me = await waymark.account();
    const { id } = await me.create('/pinpoints', aPinpoint());
    const before = await me.get(`/pinpoints/${id}`);
    const answer = await me.put(`/pinpoints/${id}`, aPinpoint({ tags: ['new'] }));
    expect(answer.headers.etag).not.toBe(before.headers.etag);
  });
});
