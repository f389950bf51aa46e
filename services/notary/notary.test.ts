import { checkedCheckpoints, type SomeInstallation, settled, someInstallation, someKey, until } from './testing/some-notary.ts';

describe('a notary', () => {
  let installation: SomeInstallation;
  beforeEach(async () => {
    installation = await someInstallation();
  });
  afterEach(() => installation.close());
  const checked = (seeds = [someKey(1)]) => checkedCheckpoints(installation.log(), seeds);
  const numbers = async () => (await checked()).map(({ checkpoint }) => checkpoint.number);

  it('signs nothing while the log has no event of an account', async () => {
    expect(await installation.sign()).toMatchObject({ state: 'signing', number: 0 });
    expect(await checked()).toEqual([]);
  });

  it('signs what the log has at its start, and what has grown at each interval', async () => {
    await installation.write('one', 3);
    await installation.write('two', 5);
    const notary = installation.start();
    await until(async () => (await checked()).length === 1);
    await installation.write('one', 2);
    await until(async () => (await checked()).length === 2);
    const [first, second] = await checked();
    expect(second?.checkpoint).toMatchObject({ number: 2, previous: first?.digest, continues: null, key: null, size: 2 });
    await until(() => notary.status().number === 2);
    expect(notary.status()).toMatchObject({ state: 'signing', events: 10, accounts: 2, signed: 2 });
  });

  it('signs no second checkpoint of the same events, also after a restart', async () => {
    await installation.write('one');
    for (let starts = 0; starts < 3; starts += 1) expect(await installation.sign()).toMatchObject({ state: 'signing', number: 1 });
    await installation.write('one');
    expect(await installation.sign()).toMatchObject({ number: 2 });
    expect(await numbers()).toEqual([1, 2]);
  });

  it('signs once more when it is closed', async () => {
    await installation.write('one');
    const notary = installation.start({ intervalMs: 60_000 });
    await settled(notary);
    await installation.write('two', 4);
    await notary.close();
    const [, last] = await checked();
    expect(last?.checkpoint.size).toBe(2);
    expect(last?.through).toBe((await installation.log().state()).head - 1);
  });

  it('signs one checkpoint for many accounts', async () => {
    const names = Array.from({ length: 600 }, (_, nth) => `account-${nth}`);
    for (const name of names) await installation.write(name);
    expect(await installation.sign()).toMatchObject({ accounts: names.length, number: 1 });
    expect(await numbers()).toEqual([1]);
  });
});
