import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { replannedStatements } from '@waymark/event-log/testing/replanned.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import SQLite from 'better-sqlite3';
import { proofStoreContract } from '../contract/proof-store.ts';
import { ProofsUnavailable } from '../proof-store.ts';
import { eventsOf } from '../testing/events.ts';
import { notaryOf } from '../testing/notary.ts';
import { openFile } from './open.ts';
import { openSqliteProofReads, openSqliteProofStore } from './proof-store.ts';
import { sqliteReads } from './reads.ts';

const newFile = temporaryFiles();

proofStoreContract('SQLite', { open: async () => openSqliteProofStore(newFile()), runs: 40 });

/** Overwrites all pages but the first one, in place. */
const damagePages = (file: string): void => {
  new SQLite(file).exec('PRAGMA wal_checkpoint(TRUNCATE)').close();
  writeFileSync(file, readFileSync(file).fill(0xa5, 4_096), { flag: 'r+' });
};

describe('a proof store in a file', () => {
  const removeFile = (file: string) => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  };

  it.each([
    ['is no database', (file: string) => writeFileSync(file, 'no database, but a text that is long enough to be one'.repeat(10))],
    ['is of another version', (file: string) => new SQLite(file).exec('CREATE TABLE other (one); PRAGMA user_version = 99').close()],
  ])('replaces a file that %s', async (_, spoil) => {
    const file = newFile();
    spoil(file);
    const store = openSqliteProofStore(file);
    expect(await store.position()).toBeUndefined();
    expect(await notaryOf(store).add(eventsOf([1]))).toBe(true);
    store.close();
    await expect(store.position()).rejects.toThrow(ProofsUnavailable);
  });

  it('is read by other threads once it exists, also after it was wiped', async () => {
    const file = newFile();
    const reads = openSqliteProofReads(file);
    await expect(reads.latest()).rejects.toThrow(ProofsUnavailable);
    const fill = async (accounts: readonly number[]) => {
      const store = openSqliteProofStore(file);
      const notary = notaryOf(store);
      await notary.add(eventsOf(accounts));
      await notary.sign();
      return store;
    };
    const store = await fill([1, 2]);
    expect(await reads.roots(1)).toHaveLength(2);
    store.close();
    removeFile(file);
    await expect(reads.latest()).rejects.toThrow(ProofsUnavailable);
    const again = await fill([1, 2, 3]);
    expect(await reads.roots(1)).toHaveLength(3);
    again.close();
    reads.close();
  });

  it('is cleared by the next growth if it has lost nodes', async () => {
    const file = newFile();
    const store = openSqliteProofStore(file);
    const notary = notaryOf(store);
    await notary.add(eventsOf([1, 2]));
    new SQLite(file).exec('DELETE FROM tile').close();
    expect(await notary.add(eventsOf([1, 2, 1]).slice(2))).toBe(false);
    expect(await store.position()).toBeUndefined();
    expect(await notaryOf(store).add(eventsOf([1, 2, 1]))).toBe(true);
    store.close();
  });

  it.each([
    ['with all its companions', removeFile],
    ['alone', (file: string) => rmSync(file)],
  ])('is created again if its file is removed while it is open, %s', async (_, wipe) => {
    const file = newFile();
    const store = openSqliteProofStore(file);
    const notary = notaryOf(store);
    await notary.add(eventsOf([1, 2]));
    wipe(file);
    expect(await notary.add(eventsOf([1, 2, 1]).slice(2))).toBe(false);
    expect(await store.position()).toBeUndefined();
    const again = notaryOf(store);
    expect(await again.add(eventsOf([1, 2, 1]))).toBe(true);
    await again.sign();
    const reads = openSqliteProofReads(file);
    expect(await reads.roots(1)).toHaveLength(2);
    reads.close();
    store.close();
  });

  it('is created again if its pages are damaged, whoever finds that', async () => {
    const file = newFile();
    const store = openSqliteProofStore(file);
    const fill = async () => {
      const notary = notaryOf(store);
      await notary.add(eventsOf([1, 2]));
      await notary.sign();
    };
    await fill();
    const reads = openSqliteProofReads(file);
    for (const find of [() => store.latest(), () => reads.latest()]) {
      await store.position();
      damagePages(file);
      await expect(find()).rejects.toThrow(ProofsUnavailable);
      expect(await store.position()).toBeUndefined();
      await fill();
      expect(await reads.roots(1)).toHaveLength(2);
    }
    reads.close();
    store.close();
  });

  it('has statements that keep their plans when they run', () => {
    const file = newFile();
    openFile(file).close();
    expect(replannedStatements(file, sqliteReads)).toEqual([]);
  });
});
