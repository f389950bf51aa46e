import type { TObject } from '@sinclair/typebox';
import { orderReasons } from '@waymark/domain/orders/commands.ts';
import { bodies } from './bodies.ts';
import { createBodyParser } from './parse-body.ts';

const application = createBodyParser(bodies['POST /operator/applications']);
const named = (name: unknown) => application({ account: 'demo', name });
const refusal = (detail: string) => expect.objectContaining({ status: 400, body: { detail } });

describe('a text in an operator request', () => {
  it('is trimmed and normalised to NFC', () => {
    expect(named('  e\u0301 ').name).toBe('é');
    expect(named('한'.normalize('NFD').repeat(255)).name).toBe('한'.repeat(255));
  });

  it.each([
    ['no text', 7],
    ['only spaces', '   '],
    ['too long', 'a'.repeat(256)],
    ['NUL', 'a\0'],
    ['an unpaired surrogate', '\ud800'],
    ['31 combining marks in a row', `x${'\u0316'.repeat(31)}`],
  ])('is refused: %s', (_, value) => {
    expect(() => named(value)).toThrow(refusal('name: a text of 1 to 255 characters is required'));
  });

  it('is never normalised if that would cost more than linear time', () => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    expect(() => named('\u0301'.repeat(400_000))).toThrow();
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
  });
});

describe('a body of an operator request', () => {
  const text = 'a text of 1 to 255 characters is required';
  const anId = 'a positive whole number is required; a text for an application or a changeset';
  const aCase = 'an id of at most 64 characters without @ and blanks';
  const anOrder = { kind: 'pinpoint', id: 12, account: 'demo' };
  it.each<[keyof typeof bodies, unknown, string]>([
    ['POST /operator/applications', null, `account: ${text}`],
    ['POST /operator/applications', ['account'], `account: ${text}`],
    ['POST /operator/applications', { account: 'demo', scopes: [] }, `name: ${text}`],
    ['POST /operator/applications', { account: 'demo', name: 'demo', scopes: ['admin'] }, 'scopes: a list of write, read, audit'],
    ['POST /operator/writes', {}, 'open: true or false is required'],
    ['POST /operator/backup', { directory: 'a'.repeat(4_097) }, 'directory: a text of 1 to 4096 characters is required'],
    ['POST /operator/forget', { kind: 'toString', id: 0, account: '' }, `account: ${text}`],
    [
      'POST /operator/forget',
      { kind: 'toString', id: 0, account: 'demo' },
      'kind: pinpoint, list, category, event, application or changeset is required',
    ],
    ['POST /operator/forget', { kind: 'event', id: 1.5, account: 'demo' }, `id: ${anId}`],
    ['POST /operator/forget', { kind: 'application', id: '../x', account: 'demo' }, `id: ${anId}`],
    ['POST /operator/forget', { ...anOrder, reason: 'because' }, `reason: one of ${orderReasons.join(', ')}`],
    ['POST /operator/hold', { ...anOrder, case: 'someone@example.org' }, `case: ${aCase}`],
    ['POST /operator/release', { ...anOrder, case: 'a'.repeat(65) }, `case: ${aCase}`],
    ['POST /operator/applications/:id/scopes', { scopes: [] }, 'scopes: a list of write, read, audit is required'],
    ['POST /operator/applications/:id/scopes', {}, 'scopes: a list of write, read, audit is required'],
    [
      'POST /operator/blame',
      { account: 'demo', kind: 'secret', id: 1 },
      'kind: pinpoint, list, category, event or application is required',
    ],
    ...[0, '', 'a.b', 'a'.repeat(65), 1.5, null].map((id): [keyof typeof bodies, unknown, string] => [
      'POST /operator/blame',
      { account: 'demo', kind: 'pinpoint', id },
      'id: a positive whole number, or the id of an application, is required',
    ]),
    ['POST /operator/history', { account: 'demo', kind: 'list', id: 1, limit: 501 }, 'limit: a number from 1 to 500'],
    ['POST /operator/diff', { account: 'demo', kind: 'list', id: 1, from: 0, to: -1 }, 'to: a whole number from 0 is required'],
    ['POST /operator/adopt', { signing_key: false, instead_of: '' }, 'signing_key: true or instead_of is required'],
    ['POST /operator/adopt', { instead_of: 7 }, 'instead_of: the id of an installation is required'],
    ['POST /operator/import/begin', { run: '../x', manifest: {} }, 'run: a name is required'],
    ['POST /operator/import/begin', { run: 'run', manifest: { format: 2 } }, 'manifest: this release supports exports of format 1'],
    ['POST /operator/import/end', { run: 'run', manifest: { format: 1 } }, 'manifest: the complete manifest of the export is required'],
    ['POST /operator/import/missing', { names: [7] }, 'names: names of files are required'],
    ['POST /operator/import/missing', { names: Array(1_001).fill('a') }, 'names: at most 1000'],
    [
      'POST /operator/import/events',
      { run: 'run', first: 0 },
      'run, incarnation, first, digest, files, events: at least one is missing or not valid',
    ],
  ])('is refused with the text of its first fault: %s %j', (name, body, detail) => {
    expect(() => createBodyParser(bodies[name] as TObject)(body)).toThrow(refusal(detail));
  });

  it('is accepted without its optional fields', () => {
    expect(application({ account: 'demo', name: 'demo', scopes: null })).toMatchObject({ scopes: null });
    expect(named('demo')).toEqual({ account: 'demo', name: 'demo' });
    const order = { kind: 'pinpoint', id: 12, account: 'demo' };
    const parse = createBodyParser(bodies['POST /operator/forget']);
    expect(parse(order)).toEqual(order);
    expect(parse({ ...order, reason: null, case: null })).toEqual({ ...order, reason: null, case: null });
    expect(parse({ ...order, reason: 'mistake', case: 'case-7' })).toEqual({ ...order, reason: 'mistake', case: 'case-7' });
  });
});
