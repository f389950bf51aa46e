import { installationStream } from '@waymark/domain/streams.ts';
import { AppendUndecided, type EventLog, readEventsMax } from '@waymark/event-log/event-log.ts';
import { operators, sealHousekeeping } from '@waymark/event-log/seal.ts';
import { someEvent } from '@waymark/event-log/testing/some-events.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { createSigner, type Signer } from '@waymark/signing/signer.ts';
import { acceptKeys, adoptKeys, signingKeysMax } from './signing-keys.ts';

const keyOf = (name: string): string => name.padEnd(32, '-');
const signerOf = (...names: readonly string[]): Signer => createSigner(names.map(keyOf));
const refused = expect.stringMatching(/^WAYMARK_SIGNING_KEY: .* `waymark adopt --signing-key`/);
const full = expect.stringContaining(`accepted ${signingKeysMax} keys`);

describe('the signing keys of an installation', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  beforeEach(async () => {
    log = await logOfItsOwn();
  });
  afterEach(() => log.close());

  const accepted = async (): Promise<readonly string[]> => {
    const checks: string[] = [];
    for (;;) {
      const page = await log.read(installationStream, checks.length);
      for (const { envelope, content } of page) {
        expect(envelope).toMatchObject({ type: 'SigningKeyAccepted', version: 1 });
        checks.push(JSON.parse(content ?? '').check);
      }
      if (page.length < readEventsMax) return checks;
    }
  };
  const start = (...names: readonly string[]) => acceptKeys(log, signerOf(...names));
  /** A log with a fault at the first append. */
  const disturbed = (append: (...order: Parameters<EventLog['append']>) => ReturnType<EventLog['append']>): EventLog => {
    let isFirst = true;
    return {
      ...log,
      append: (...order) => {
        const strike = isFirst ? append : log.append;
        isFirst = false;
        return strike(...order);
      },
    };
  };

  it('are accepted once by a log that has accepted none, as after an upgrade', async () => {
    for (let starts = 0; starts < 3; starts += 1) expect(await start('one', 'two', 'one')).toBeUndefined();
    expect(await accepted()).toEqual(signerOf('one', 'two').checks);
  });

  it('do not appear in the log', async () => {
    await start('one');
    expect(JSON.stringify(await log.read(installationStream, 0))).not.toContain(keyOf('one'));
  });

  it('can be replaced one after the other without an action of the operator', async () => {
    for (const names of [['old'], ['old', 'new'], ['new', 'old'], ['new'], ['new', 'newest'], ['newest']]) {
      expect(await start(...names)).toBeUndefined();
    }
    expect(await accepted()).toEqual(signerOf('old', 'new', 'newest').checks);
  });

  it('are refused if the installation has accepted none of them; the message names the solution, and no key is accepted', async () => {
    await start('own');
    expect(await start('foreign')).toEqual(refused);
    expect(await start('foreign', 'other')).toEqual(refused);
    expect(await accepted()).toEqual(signerOf('own').checks);
  });

  it('are accepted by `adoptKeys` if no accepted key is left, and the earlier keys stay accepted', async () => {
    await start('lost');
    expect(await adoptKeys(log, signerOf('new'))).toBeUndefined();
    expect([await start('new'), await start('lost'), await start('foreign')]).toEqual([undefined, undefined, refused]);
    expect(await adoptKeys(log, signerOf('new'))).toBeUndefined();
    expect(await accepted()).toEqual(signerOf('lost', 'new').checks);
  });

  it('of the first process count if two start concurrently', async () => {
    const overtaken = disturbed(async (...order) => {
      await start('first');
      return log.append(...order);
    });
    expect(await acceptKeys(overtaken, signerOf('second'))).toEqual(refused);
    expect(await accepted()).toEqual(signerOf('first').checks);
  });

  it('of another process count if it appends between the read and the append of this one', async () => {
    let isFirst = true;
    const overtaken: EventLog = {
      ...log,
      read: async (...asked) => {
        const page = await log.read(...asked);
        const strikes = isFirst;
        isFirst = false;
        if (strikes) await start('first');
        return page;
      },
    };
    expect(await acceptKeys(overtaken, signerOf('second'))).toEqual(refused);
    expect(await accepted()).toEqual(signerOf('first').checks);
  });

  it('of concurrently starting processes with the same keys are accepted once', async () => {
    const starts = Array.from({ length: 10 }, () => start('one', 'two'));
    expect(await Promise.all(starts)).toEqual(starts.map(() => undefined));
    expect(await accepted()).toEqual(signerOf('one', 'two').checks);
  });

  it.each(['before', 'after'])('are accepted once if an append is cut off %s it was done', async (when) => {
    const cut = disturbed(async (...order) => {
      if (when === 'after') await log.append(...order);
      throw new AppendUndecided('cut off');
    });
    expect(await acceptKeys(cut, signerOf('one'))).toBeUndefined();
    expect(await accepted()).toEqual(signerOf('one').checks);
  });

  it('share their stream with other events of the installation, also of a later release', async () => {
    const named = (type: string, content: object) => sealHousekeeping({ type, version: 9, content, origin: operators });
    const others = [named('InstallationNamed', { installation: 'id' }), someEvent(), named('SomethingNew', { check: 'x' })];
    await log.append(installationStream, others, 'none');
    expect([await start('one'), await start('two')]).toEqual([undefined, refused]);
    expect(await log.read(installationStream, 0)).toHaveLength(others.length + 1);
  });

  it('have a maximum number: one more is refused, the accepted ones are not', async () => {
    const many = Array.from({ length: signingKeysMax }, (_, index) => `key ${index}`);
    expect(await start(...many)).toBeUndefined();
    expect(await start('key 0')).toBeUndefined();
    expect([await start('key 0', 'above'), await adoptKeys(log, signerOf('above')), await start('above')]).toEqual([full, full, refused]);
    expect(await accepted()).toHaveLength(signingKeysMax);
  });
});
