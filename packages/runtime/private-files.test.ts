import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterKeysIn, keysIn } from './private-files.ts';
import { WrongSettings } from './settings.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-keys-'));
  file = join(directory, 'keys.json');
});
afterEach(() => rmSync(directory, { recursive: true }));

const stored = () => JSON.parse(readFileSync(file, 'utf8'));
/** The keys as release 0.1.0 wrote them. */
const older = { cursors: ['c'.repeat(43)], idempotency: 'i'.repeat(43) };
const randomKeys = [expect.stringMatching(/^[\w-]{43}$/)];

describe('The keys of an installation', () => {
  it('are created once, and read from then on', () => {
    const keys = clusterKeysIn(file);
    expect([...keys.cursors, keys.idempotency, ...keys.requestIds, ...keys.signing].every((key) => /^[\w-]{43}$/.test(key))).toBe(true);
    expect([stored(), clusterKeysIn(file), keysIn(file)]).toEqual([keys, keys, keys]);
  });

  it('get the keys that release 0.1.0 did not create, and keep the others: the file is private, and no other file is left', () => {
    writeFileSync(file, JSON.stringify(older), { mode: 0o644 });
    const keys = clusterKeysIn(file);
    expect(keys).toEqual({ ...older, requestIds: randomKeys, signing: randomKeys });
    expect([stored(), clusterKeysIn(file)]).toEqual([keys, keys]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['keys.json']);
  });

  it.each([older, { ...older, signing: ['s'.repeat(43)] }])(
    'get no signing key in the form that signs nothing, and keep one',
    (earlier) => {
      writeFileSync(file, JSON.stringify(earlier));
      const keys = keysIn(file);
      expect(keys).toEqual({ ...earlier, requestIds: randomKeys });
      expect([stored(), keysIn(file)]).toEqual([keys, keys]);
    },
  );

  it('are not rewritten if they are complete', () => {
    keysIn(file);
    const { mtimeMs, ino } = statSync(file);
    keysIn(file);
    expect(statSync(file)).toMatchObject({ mtimeMs, ino });
  });

  it.each<readonly [string, unknown]>([
    ['no cursor key', { ...older, cursors: undefined }],
    ['an empty list of cursor keys', { ...older, cursors: [] }],
    ['a short cursor key', { ...older, cursors: ['short'] }],
    ['no idempotency key', { ...older, idempotency: undefined }],
    ['an empty idempotency key', { ...older, idempotency: '' }],
    ['an empty list of keys of request ids', { ...older, requestIds: [] }],
    ['a short key of request ids', { ...older, requestIds: ['short'] }],
    ['an empty list of signing keys', { ...older, signing: [] }],
    ['a signing key that is null', { ...older, signing: [null] }],
    ['nothing', null],
  ])('stop the start if the file has %s, and the file is unchanged', (_, keys) => {
    const text = JSON.stringify(keys);
    writeFileSync(file, text);
    for (const read of [keysIn, clusterKeysIn]) expect(() => read(file)).toThrow(WrongSettings);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('stop the start if the file is cut off', () => {
    writeFileSync(file, JSON.stringify(older).slice(0, -5));
    expect(() => clusterKeysIn(file)).toThrow(WrongSettings);
  });
});
