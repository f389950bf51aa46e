import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { tokensContract } from '../../contract/token-store.ts';
import { sampleToken } from '../../testing/sample-token.ts';
import { expireRowsMax, groupMax } from '../limits.ts';
import { TokenStoreUnavailable } from '../token-store.ts';
import { assertDurable } from './file.ts';
import { openSqliteTokenStore, type SqliteTokenStore } from './token-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'waymark-tokens-'));
const opened: SqliteTokenStore[] = [];
let serial = 0;

const freshFile = (): string => {
  serial += 1;
  return join(folder, `tokens-${serial}.db`);
};
const open = (file = freshFile()): SqliteTokenStore => {
  const tokens = openSqliteTokenStore({ file });
  opened.push(tokens);
  return tokens;
};

afterEach(() => {
  for (const tokens of opened.splice(0)) tokens.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

tokensContract('sqlite', () => open());

const nowMs = Date.UTC(2026, 5, 1);
const expired = () => sampleToken({ expiresAtMs: nowMs - 1 });

/** Reads the file in another process: closing a handle of this process would drop the locks of the open database. */
const bytesOf = (file: string): Buffer => execFileSync('cat', [file, `${file}-wal`].filter(existsSync), { maxBuffer: 64 * 1024 * 1024 });

describe('tokens in SQLite', () => {
  it('are still there when the file is opened again', async () => {
    const file = freshFile();
    const record = sampleToken();
    const tokens = open(file);
    await tokens.save(record);
    tokens.close();
    expect(await open(file).find(record.hash, nowMs)).toEqual(record);
  });

  it('that were revoked stay revoked when the file is opened again', async () => {
    const file = freshFile();
    const [revoked, kept] = [sampleToken(), sampleToken()];
    const tokens = open(file);
    await tokens.save(revoked);
    await tokens.save(kept);
    await tokens.revoke(revoked.hash);
    tokens.close();

    const again = open(file);
    expect(await again.find(revoked.hash, nowMs)).toBeUndefined();
    expect(await again.find(kept.hash, nowMs)).toEqual(kept);
  });

  it('are in the file, for another process to find, as soon as they are saved', async () => {
    const file = freshFile();
    const record = sampleToken();
    await open(file).save(record);
    expect(bytesOf(file).includes(record.hash)).toBe(true);
  });

  it('are readable only for the owner of the file', async () => {
    const file = freshFile();
    await open(file).save(sampleToken());
    const modes = readdirSync(folder)
      .filter((name) => join(folder, name).startsWith(file))
      .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
    expect(modes.length).toBe(3);
    for (const [name, mode] of modes) expect([name, mode]).toEqual([name, '600']);
  });

  it('are stored only as hashes in every file', async () => {
    const file = freshFile();
    const token = 'a-token-that-nobody-may-read-anywhere';
    const hash = createHash('sha256').update(token).digest('base64url');
    const tokens = open(file);
    await tokens.save(sampleToken({ hash }));
    await tokens.find(hash, nowMs);
    for (const close of [() => undefined, tokens.close]) {
      close();
      const bytes = bytesOf(file);
      expect(bytes.includes(hash)).toBe(true);
      expect(bytes.includes(token)).toBe(false);
      expect(bytes.includes('nobody-may-read')).toBe(false);
    }
  });

  it('are saved before the store closes, even if no caller waited', async () => {
    const file = freshFile();
    const record = sampleToken();
    const tokens = open(file);
    const saving = tokens.save(record);
    tokens.close();
    await saving;
    expect(await open(file).find(record.hash, nowMs)).toEqual(record);
  });

  it('cannot be read from a closed store', async () => {
    const tokens = open();
    tokens.close();
    const record = sampleToken();
    await expect(tokens.find(record.hash, nowMs)).rejects.toThrow(TokenStoreUnavailable);
    await expect(tokens.save(record)).rejects.toThrow(TokenStoreUnavailable);
    await expect(tokens.revoke(record.hash)).rejects.toThrow(TokenStoreUnavailable);
    await expect(tokens.expire(nowMs)).rejects.toThrow(TokenStoreUnavailable);
  });

  it('of one group are written all or none, and can be written again afterwards', async () => {
    const tokens = open();
    const [good, bad] = [sampleToken(), sampleToken({ expiresAtMs: Number.NaN })];
    const outcomes = await Promise.allSettled([tokens.save(good), tokens.save(bad)]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(TokenStoreUnavailable) });
    expect(await tokens.find(good.hash, nowMs)).toBeUndefined();
    await tokens.save(good);
    expect(await tokens.find(good.hash, nowMs)).toEqual(good);
  });

  it('of one turn share a commit', async () => {
    const file = freshFile();
    const tokens = open(file);
    const count = groupMax - 1;
    await Promise.all(Array.from({ length: count }, () => tokens.save(sampleToken())));
    // A separate commit for each token would write a page of 4 KiB or more each time.
    expect(statSync(`${file}-wal`).size).toBeLessThan(count * 4_096);
  });

  it('of one turn that exceed a commit do not wait for the end of the turn', async () => {
    const file = freshFile();
    const tokens = open(file);
    const records = Array.from({ length: groupMax + 1 }, () => sampleToken());
    const saving = records.map((record) => tokens.save(record));
    const bytes = bytesOf(file);
    expect(records.filter(({ hash }) => bytes.includes(hash))).toHaveLength(groupMax);
    await Promise.all(saving);
    expect(bytesOf(file).includes(records.at(-1)?.hash ?? 'none')).toBe(true);
  });
});

describe('removing expired tokens', () => {
  it('keeps the others', async () => {
    const tokens = open();
    const [gone, kept] = [expired(), sampleToken()];
    await tokens.save(gone);
    await tokens.save(kept);
    expect(await tokens.expire(nowMs)).toBe(1);
    expect(await tokens.find(gone.hash, 0)).toBeUndefined();
    expect(await tokens.find(kept.hash, nowMs)).toEqual(kept);
    expect(await tokens.expire(nowMs)).toBe(0);
  });

  it('removes all of them in steps, and other work runs between the steps', async () => {
    const file = freshFile();
    const tokens = open(file);
    const count = 2 * expireRowsMax + 1;
    await Promise.all(Array.from({ length: count }, () => tokens.save(expired())));
    const removing = tokens.expire(nowMs);
    await new Promise(setImmediate);
    const database = new Database(file, { readonly: true });
    const left = database.prepare('select count(*) from token').pluck().get();
    database.close();
    expect(left).toBe(count - expireRowsMax);
    expect(await removing).toBe(count);
  });

  it('ends with the last expired token', async () => {
    const tokens = open();
    await Promise.all(Array.from({ length: expireRowsMax + 1 }, () => tokens.save(expired())));
    let removed = 0;
    void tokens.expire(nowMs).then((count) => {
      removed = count;
    });
    // One commit per turn: two turns for the expired tokens, and a few more to be sure.
    for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
    expect(removed).toBe(expireRowsMax + 1);
  });
});

describe('clearing', () => {
  it('removes all tokens durably', async () => {
    const file = freshFile();
    const records = [sampleToken(), expired()];
    const tokens = open(file);
    for (const record of records) await tokens.save(record);
    await tokens.clear();
    tokens.close();
    for (const { hash } of records) expect(await open(file).find(hash, 0)).toBeUndefined();
  });
});

describe('a file', () => {
  it('of another release is refused', () => {
    const file = freshFile();
    open(file).close();
    const db = new Database(file);
    db.pragma('user_version = 2');
    db.close();
    expect(() => open(file)).toThrow('another release');
    // The last connection to a database removes these files.
    expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([false, false]);
  });

  it.each([
    ['wal', 'full', true],
    ['wal', 'normal', false],
    ['delete', 'full', false],
  ])('with journal mode %s and synchronous %s is durable: %s', (journal, synchronous, isDurable) => {
    const db = new Database(freshFile());
    db.pragma(`journal_mode = ${journal}`);
    db.pragma(`synchronous = ${synchronous}`);
    if (isDurable) assertDurable(db);
    else expect(() => assertDurable(db)).toThrow('would not be durable');
    db.close();
  });

  it('that is not a database is refused', () => {
    const file = freshFile();
    writeFileSync(file, 'not a database, but long enough to be looked at'.repeat(100));
    expect(() => open(file)).toThrow('not a database');
  });
});
