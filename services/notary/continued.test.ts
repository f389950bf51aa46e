import { startNotary } from './app.ts';
import type { EarlierNotary } from './earlier.ts';
import { checkedCheckpoints, type SomeInstallation, settled, someInstallation, until } from './testing/some-notary.ts';

describe('a notary that continues where an earlier one ended', () => {
  let installation: SomeInstallation;
  beforeEach(async () => {
    installation = await someInstallation();
    await installation.write('one', 5);
    await installation.write('two', 300);
  });
  afterEach(() => installation.close());

  /** Runs a notary until it has signed what the log has. Returns from where it read the log, and what it leaves. */
  const run = async (earlier?: EarlierNotary) => {
    let from = -1;
    const { log, ...ports } = installation.ports({ intervalMs: 60_000 });
    const watched = {
      ...log,
      subscribe: (...[after, ...rest]: Parameters<typeof log.subscribe>) => {
        from = after;
        return log.subscribe(after, ...rest);
      },
    };
    // As it is when it comes from another thread.
    const notary = startNotary({ ...ports, log: watched }, undefined, structuredClone(earlier));
    await settled(notary);
    const { head } = await installation.log().state();
    await until(() => notary.status().position >= head);
    const left = await notary.close();
    return { from, left, status: notary.status() };
  };

  it('does not read the log again, and signs the same trees', async () => {
    const first = await run();
    expect(first).toMatchObject({ from: 0, status: { number: 1, signed: 1 } });
    await installation.write('two', 30);
    await installation.write('three', 3);
    const second = await run(first.left);
    expect(second).toMatchObject({
      from: first.left?.position,
      status: { state: 'signing', number: 2, events: 338, accounts: 3, signed: 2 },
    });
    const third = await run(second.left);
    expect(third).toMatchObject({ from: second.left?.position, status: { signed: 2 } });
    expect(await checkedCheckpoints(installation.log())).toHaveLength(2);
  });

  it('signs no second checkpoint within an interval', async () => {
    const { left } = await run();
    await installation.write('one');
    const notary = startNotary(installation.ports({ intervalMs: 60_000 }), undefined, left);
    const { head } = await installation.log().state();
    await until(() => notary.status().position >= head);
    expect(notary.status()).toMatchObject({ state: 'signing', number: 1, isGrown: true });
    expect(await checkedCheckpoints(installation.log())).toHaveLength(1);
    await notary.close();
    expect(await checkedCheckpoints(installation.log())).toHaveLength(2);
  });

  it('reads the log from its start if another one has signed since', async () => {
    const { left } = await run();
    await installation.write('one');
    await installation.sign();
    expect(await run(left)).toMatchObject({ from: 0, status: { number: 2 } });
  });

  it('reads the log from its start if the proof store was wiped, and fills it', async () => {
    const { left } = await run();
    const store = await installation.ports().openStore();
    await store.clear();
    await store.close();
    const again = await run(left);
    expect(again).toMatchObject({ from: 0, status: { number: 1 } });
    expect(await run(again.left)).toMatchObject({ from: again.left?.position });
  });
});
