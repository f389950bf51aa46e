// Long because it has one table of all that makes a notary refuse, and of all that does not.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlace } from '@waymark/checkpoints/urls.ts';
import { keyNameOf, originOf } from '@waymark/proof/checkpoint.ts';
import { createNoteSigner } from '@waymark/proof/signed-note.ts';
import SQLite from 'better-sqlite3';
import type { NotaryPorts } from './ports.ts';
import { checkedCheckpoints, type SomeInstallation, settled, someInstallation, someKey, until } from './testing/some-notary.ts';

let installation: SomeInstallation;
beforeEach(async () => {
  installation = await someInstallation();
  await installation.write('one', 3);
  await installation.write('two', 2);
  await installation.sign();
  await installation.write('one', 2);
  await installation.sign();
});
afterEach(() => installation.close());

/** Publishes the second checkpoint with the number of the third. */
const publishThird = async (sign: (text: string, note: string) => string): Promise<void> => {
  const [folder = ''] = readdirSync(installation.files.place);
  const file = (number: number) => join(installation.files.place, folder, `00000000000${number}`);
  const note = readFileSync(file(2), 'utf8').replace('number 2', 'number 3');
  writeFileSync(file(3), sign(note.slice(0, note.lastIndexOf('\n\n') + 1), note));
};

const checked = (seeds = [someKey(1)]) => checkedCheckpoints(installation.log(), seeds);

/** Changes the file of the log, as an intruder does. */
const tamper = async (...statements: readonly string[]): Promise<void> => {
  await installation.closeLog();
  const db = new SQLite(installation.files.log);
  for (const statement of [...statements, 'update log set given = (select max(position) from event)']) db.exec(statement);
  db.close();
  await installation.reopenLog();
};

const keepLog = async (name: string): Promise<void> => {
  await installation.closeLog();
  copyFileSync(installation.files.log, join(installation.folder, name));
  await installation.reopenLog();
};

const restoreLog = async (name: string): Promise<void> => {
  await installation.closeLog();
  for (const end of ['-wal', '-shm']) rmSync(`${installation.files.log}${end}`, { force: true });
  copyFileSync(join(installation.folder, name), installation.files.log);
  await installation.reopenLog();
};

const renew = async (): Promise<void> => {
  const { incarnation } = await installation.log().state();
  await installation.log().renewIncarnation(incarnation);
};

/** Grows the log and tries to sign: a notary that refuses signs nothing, and says so. */
const expectRefusal = async (cause: RegExp, changes: Partial<NotaryPorts> = {}): Promise<void> => {
  const { head } = await installation.log().state();
  await installation.write('three');
  const status = await installation.sign(changes);
  expect(status).toMatchObject({ state: 'refusing', signed: 0 });
  expect(status.reason).toMatch(cause);
  expect(installation.logged).toContain(`error: the notary signs nothing: ${status.reason}`);
  expect((await installation.log().state()).head).toBe(head + 1);
};

const expectToSign = async (number: number, changes: Partial<NotaryPorts> = {}): Promise<void> => {
  await installation.write('one');
  expect(await installation.sign(changes)).toMatchObject({ state: 'signing', signed: 1, number });
};

const lastHistory = "(select max(position) from event where stream like 'pinpoint-%')";

describe('a notary signs nothing', () => {
  it.each<[string, RegExp, readonly string[]]>([
    ['an event was changed', /not those/, [`update event set envelope = replace(envelope, 'test', 'evil') where position = 2`]],
    ['an event was moved to another stream', /not those/, [`update event set stream = 'pinpoint-9' where position = 2`]],
    ['an event was deleted', /not those|fewer/, ['delete from event where position = 2']],
    [
      'two events were swapped',
      /not those/,
      [
        'update event set position = -1 where position = 1',
        'update event set position = 1 where position = 2',
        'update event set position = 2 where position = -1',
      ],
    ],
    ['the last event of an account was deleted', /fewer/, [`delete from event where position = ${lastHistory}`]],
    ['the tail was cut', /lacks checkpoint 2/, [`delete from event where position >= ${lastHistory}`]],
    ['the checkpoints were deleted', /lacks checkpoint 2/, ["delete from event where stream = 'checkpoints'"]],
    [
      'a checkpoint was changed',
      /is not valid/,
      ["update event set content = replace(content, 'number 2', 'number 3') where stream = 'checkpoints'"],
    ],
    [
      'a checkpoint was replaced by another event',
      /no checkpoint/,
      ["update event set content = '{}' where stream = 'checkpoints' and revision = 1"],
    ],
  ])('where %s, also where its own record is all that it has', async (_, cause, statements) => {
    await tamper(...statements);
    await expectRefusal(cause);
    await expectRefusal(cause, { openPlace: undefined });
  });

  it.each<[string, RegExp, readonly string[]]>([
    [
      'an event was changed',
      /does not have the events/,
      [`update event set envelope = replace(envelope, 'test', 'evil') where position = 2`],
    ],
    ['the tail was cut', /lacks checkpoint 2/, [`delete from event where position >= ${lastHistory}`]],
  ])('where %s and its own record was removed', async (_, cause, statements) => {
    await tamper(...statements);
    rmSync(installation.files.record);
    await expectRefusal(cause);
  });

  it('where an old database was restored, although all else was restored with it', async () => {
    await keepLog('old.db');
    copyFileSync(installation.files.proofs, join(installation.folder, 'old-proofs.db'));
    await expectToSign(3);
    await restoreLog('old.db');
    copyFileSync(join(installation.folder, 'old-proofs.db'), installation.files.proofs);
    await expectRefusal(/lacks checkpoint 3/);
  });

  it('where its own record is missing and there is no place', async () => {
    rmSync(installation.files.record);
    await expectRefusal(/is empty/, { openPlace: undefined });
  });

  it('while the place is missing, and signs again once it is back', async () => {
    renameSync(installation.files.place, join(installation.folder, 'away'));
    await expectRefusal(/cannot be used: ENOENT/);
    const notary = installation.start();
    await settled(notary);
    renameSync(join(installation.folder, 'away'), installation.files.place);
    await until(() => notary.status().state === 'signing');
    expect(notary.status().number).toBe(3);
  });

  it('while the place is missing that was there when it started', async () => {
    const notary = installation.start();
    await until(() => notary.status().state === 'signing');
    renameSync(installation.files.place, join(installation.folder, 'away'));
    await until(() => notary.status().state === 'refusing');
    await installation.write('one', 3);
    await notary.close();
    expect((await checked()).length).toBe(2);
  });

  it('where the place lost what was published there', async () => {
    rmSync(installation.files.place, { recursive: true });
    mkdirSync(installation.files.place);
    await expectRefusal(/has lost checkpoint 2/);
  });

  it('where the place has a checkpoint that the log lacks', async () => {
    const signer = createNoteSigner(keyNameOf((await installation.log().state()).installation), someKey(1));
    await publishThird((text) => signer.sign(text));
    await expectRefusal(/lacks checkpoint 3/);
  });

  it('where somebody else added a checkpoint to the place', async () => {
    await publishThird((_, note) => note);
    await expectRefusal(/^Checkpoint 3 in .* is signed by no key of this notary: somebody else wrote it/);
  });

  it('before the first checkpoint of an origin, while an import has not ended', async () => {
    const importing = { unfinishedImports: async () => ['another installation'] };
    await expectToSign(3, importing);
    await renew();
    await expectRefusal(/An import has not ended/, importing);
    expect(await installation.sign({ unfinishedImports: async () => [] })).toMatchObject({ signed: 1, number: 1 });
  });

  it('where its key was replaced without an announcement', async () => {
    await expectRefusal(/key of the notary/, { seeds: () => [someKey(9)] });
  });
});

describe('a notary continues', () => {
  it('with another place, where it publishes all checkpoints', async () => {
    const other = join(installation.folder, 'other');
    mkdirSync(other);
    await installation.sign({ openPlace: () => openPlace(other) });
    const place = await openPlace(other);
    const { installation: id, incarnation } = await installation.log().state();
    const notes = (await checked()).map(({ note }) => note);
    for (const [index, note] of notes.entries()) expect(await place.read(originOf(id, incarnation), index + 1)).toBe(note);
  });

  it('without its record, where the place has the last checkpoint', async () => {
    rmSync(installation.files.record);
    await expectToSign(3);
    await expectToSign(4);
  });

  it('without the proof store, which it fills again', async () => {
    rmSync(installation.files.proofs);
    await expectToSign(3);
  });

  it('with a new key, which the old one announces', async () => {
    const seeds = () => [someKey(2), someKey(1)];
    expect(await installation.sign({ seeds })).toMatchObject({ signed: 1, number: 3 });
    await installation.write('one');
    await installation.sign({ seeds });
    await installation.write('one');
    await installation.sign({ seeds: () => [someKey(2)] });
    const all = await checked([someKey(1), someKey(2)]);
    const [old, next] = [installation.verifierKeys[0], installation.verifierKeys.find((key) => key !== installation.verifierKeys[0])];
    expect(all.map(({ checkpoint, signedBy }) => [signedBy.text, checkpoint.key])).toEqual([
      [old, null],
      [old, null],
      [old, next],
      [next, null],
      [next, null],
    ]);
  });

  it('with a new origin after a renewal, which names the final checkpoint of the old one', async () => {
    await renew();
    expect(await installation.sign()).toMatchObject({ signed: 1, number: 1 });
    const [, final, first] = await checked();
    expect(first?.checkpoint.continues).toEqual({ origin: final?.checkpoint.origin, number: 2, digest: final?.digest });
    await expectToSign(2);
  });

  it('with a new origin that begins while it runs', async () => {
    const notary = installation.start();
    await until(() => notary.status().state === 'signing');
    await renew();
    await until(() => notary.status().number === 1);
  });
});

describe('an operator', () => {
  it('lets it begin with a log that was restored and renewed', async () => {
    await keepLog('old.db');
    await expectToSign(3);
    await restoreLog('old.db');
    await expectRefusal(/waymark renew, then waymark notary begin/);
    await renew();
    await expectRefusal(/: waymark notary begin/);
    installation.begin();
    expect(await installation.sign()).toMatchObject({ signed: 1, number: 1 });
    expect(installation.isBeginning()).toBe(false);
    const [, two, begun] = await checked();
    expect(begun?.checkpoint.continues?.digest).toBe(two?.digest);
    await expectToSign(2);
  });

  it('lets it begin with another key, and it continues nothing then', async () => {
    await renew();
    rmSync(installation.files.record);
    const seeds = () => [someKey(5)];
    await expectRefusal(/No trusted key/, { seeds });
    installation.begin();
    expect(await installation.sign({ seeds })).toMatchObject({ signed: 1, number: 1 });
    const all = await checked([someKey(1), someKey(5)]);
    expect(all.at(-1)?.checkpoint).toMatchObject({ number: 1, continues: null });
    await installation.write('one');
    expect(await installation.sign({ seeds })).toMatchObject({ signed: 1, number: 2 });
  });

  it('cannot let it begin in an origin that has checkpoints', async () => {
    await tamper(`delete from event where position >= ${lastHistory}`);
    installation.begin();
    await expectRefusal(/waymark renew, then waymark notary begin/);
    expect(installation.isBeginning()).toBe(true);
  });

  it('cannot let it begin beforehand: the order is dropped while there is nothing to begin', async () => {
    await keepLog('old.db');
    installation.begin();
    await expectToSign(3);
    expect(installation.isBeginning()).toBe(false);
    await restoreLog('old.db');
    await renew();
    await expectRefusal(/: waymark notary begin/);
  });
});
