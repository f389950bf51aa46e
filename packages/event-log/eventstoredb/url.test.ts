import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openEventStoreLog } from './event-log.ts';
import { parseUrl } from './url.ts';

const refusalOf = (url: string): string => {
  try {
    parseUrl(url);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the connection string of an event store', () => {
  it('names the hosts and how to reach them', () => {
    expect(parseUrl('esdb://127.0.0.1:12113?tls=false')).toMatchObject({
      discover: false,
      isSecure: false,
      hosts: [{ address: '127.0.0.1', port: 12_113 }],
      credentials: undefined,
    });
    expect(parseUrl('esdb+discover://cluster.example')).toMatchObject({ discover: true, isSecure: true, hosts: [{ port: 2_113 }] });
    expect(parseUrl('esdb://one:1,two:2,three/?nodePreference=Follower')).toMatchObject({
      hosts: [
        { address: 'one', port: 1 },
        { address: 'two', port: 2 },
        { address: 'three', port: 2_113 },
      ],
      options: { nodePreference: 'follower' },
    });
    expect(parseUrl('kurrentdb://one?tls_ca_file=%2Fetc%2Fca.crt')).toMatchObject({ caFile: '/etc/ca.crt' });
  });

  it('may carry a user and a password, percent-encoded', () => {
    expect(parseUrl('esdb://way%40mark:s%3Ae%2Fc%3Fr%40t@one').credentials).toEqual({ username: 'way@mark', password: 's:e/c?r@t' });
  });

  it.each([
    'https://waymark:hunter2@one',
    'esdb://waymark:hunter2@',
    'esdb://waymark:hun?hunter2@one',
    'esdb://waymark:p@hunter2@one',
    'esdb://waymark:%hunter2@one',
    'esdb://waymark:hunter2@one:port',
    'esdb://waymark:hunter2@one:99999',
    'esdb://waymark:hunter2@one?',
    'esdb://waymark:hunter2@one?tls=perhaps',
    'esdb://waymark:hunter2@one?keepAliveInterval=10',
    'esdb://waymark:hunter2@one?nodePreference=hunter2',
    'esdb://waymark:hunter2@one?tlsVerifyCert=false',
    'esdb://waymark:hunter2@one?throwOnAppendFailure=false',
    'esdb://waymark:hunter2@one?hunter2=1',
    'esdb://waymark:hunter2@one?tls=false&colour=green',
    '',
  ])('is refused without quoting the password: %s', (url) => {
    const printed = (['log', 'warn', 'error'] as const).map((name) => jest.spyOn(console, name).mockImplementation());
    const message = refusalOf(url);
    if (url !== 'esdb://waymark:hunter2@one?') expect(message).toContain('event store');
    expect(message).not.toContain('hunter2');
    for (const spy of printed) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it('is refused with the name of an unknown option', () => {
    expect(refusalOf('esdb://one?tls=false&colour=green')).toContain('colour');
  });

  it('causes a warning where its user and password would not be sent', async () => {
    const messages: string[] = [];
    const tell = (_: object, message: string) => void messages.push(message);
    await openEventStoreLog({
      url: 'esdb://waymark:hunter2@127.0.0.1:1?tls=false',
      logger: { debug: tell, info: tell, warn: tell },
    }).close();
    expect(messages).toEqual([expect.stringContaining('tls=false')]);
    expect(messages.join()).not.toContain('hunter2');
  });

  it('is printed nowhere, even where the library prints all its debug output', async () => {
    const adapter = join(import.meta.dirname, 'event-log.ts');
    const program = `
      const { openEventStoreLog } = await import(${JSON.stringify(adapter)});
      for (const tls of ['true', 'false']) {
        const log = openEventStoreLog({ url: 'esdb://waymark:hunter2@127.0.0.1:1?tls=' + tls, callMs: 2000 });
        await log.read('pinpoint-1', 0).catch((error) => console.log(error));
        await log.close();
      }`;
    const env = { ...process.env, DEBUG: 'esdb*' };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env });
    expect(stdout).toContain('LogUnavailable');
    expect(stderr).toContain('esdb:connection');
    expect(stdout + stderr).not.toContain('hunter2');
    expect(stdout + stderr).not.toContain(Buffer.from('waymark:hunter2').toString('base64'));
  });
});
