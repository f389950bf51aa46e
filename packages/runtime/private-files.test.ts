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

describe('The keys of an installation', () => {
  it('are created once, and read from then on', () => {
    const keys = clusterKeysIn(file);
    expect([...keys.cursors, keys.idempotency, ...keys.signing].every((key) => /^[\w-]{43}$/.test(key))).toBe(true);
    expect([stored(), clusterKeysIn(file), keysIn(file)]).toEqual([keys, keys, keys]);
  });

  it('get a signing key if release 0.1.0 created them, and keep the others: the file is private, and no other file is left', () => {
    writeFileSync(file, JSON.stringify(older), { mode: 0o644 });
    const { signing, ...others } = clusterKeysIn(file);
    expect(others).toEqual(older);
    expect(signing).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    expect(clusterKeysIn(file)).toEqual({ ...older, signing });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['keys.json']);
  });

  it('are not rewritten by the form that signs nothing', () => {
    writeFileSync(file, JSON.stringify(older));
    expect(keysIn(file)).toEqual(older);
    expect(stored()).toEqual(older);
  });

  it.each<readonly [string, unknown]>([
    ['no cursor key', { ...older, cursors: undefined }],
    ['an empty list of cursor keys', { ...older, cursors: [] }],
    ['a short cursor key', { ...older, cursors: ['short'] }],
    ['no idempotency key', { ...older, idempotency: undefined }],
    ['an empty idempotency key', { ...older, idempotency: '' }],
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
