import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { WrongSettings } from '@waymark/runtime/settings.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { pino } from 'pino';
import { awaitIdentity, type OwnKeys, ownKeys, requireAcceptedKeys } from './identity.ts';
import type { Context } from './run.ts';
import { adoptKeys } from './signing-keys.ts';

type SigningContext = Parameters<typeof awaitIdentity>[0];

describe('a process and its configured signing keys', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  const stopping = new AbortController();
  beforeEach(async () => {
    log = await logOfItsOwn();
  });
  afterEach(() => log.close());
  afterAll(() => stopping.abort());

  const given = (name: string): SigningContext => {
    const context: Pick<Context<object>, 'logger' | 'stopped'> = { logger: pino({ level: 'silent' }), stopped: stopping.signal };
    return { ...context, settings: { WAYMARK_SIGNING_KEY: name.padEnd(32, '-') } } as SigningContext;
  };

  const keysOf = async (context: SigningContext): Promise<OwnKeys> => {
    const keys = ownKeys(context, log);
    await keys.known;
    return keys;
  };

  it('works with keys that its installation accepts, and returns the identity of the installation', async () => {
    expect((await awaitIdentity(given('one'), log)).installation).toBe((await log.state()).installation);
    expect((await keysOf(given('one'))).refused()).toBeUndefined();
  });

  it('ends at its start with other keys, with a message that names the setting and the command', async () => {
    await awaitIdentity(given('one'), log);
    const start = awaitIdentity(given('other'), log);
    await expect(start).rejects.toThrow(WrongSettings);
    await expect(start).rejects.toThrow(/WAYMARK_SIGNING_KEY.*waymark adopt --signing-key/);
  });

  it('can have its keys accepted if it is the operator service', async () => {
    await awaitIdentity(given('lost'), log);
    const keys = await keysOf(given('new'));
    expect(keys.refused()).toContain('waymark adopt');
    expect(() => requireAcceptedKeys(keys)).toThrow(WrongSettings);
    expect(await keys.adopt()).toBeUndefined();
    expect(keys.refused()).toBeUndefined();
    expect((await awaitIdentity(given('new'), log)).head).toBeGreaterThan(0);
  });

  it('detects by itself that another process has had its keys accepted', async () => {
    await awaitIdentity(given('lost'), log);
    const keys = await keysOf(given('new'));
    expect(keys.refused()).toBeDefined();
    await adoptKeys(log, createSigner(['new'.padEnd(32, '-')]));
    while (keys.refused() !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
