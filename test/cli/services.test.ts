import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceEntries } from '@waymark/cluster/service-entries.ts';
import { ended, patienceMs, useDesk } from './waymark.ts';

const key = 'k'.repeat(32);
/** No server listens on these addresses. */
const relaySettings = {
  WAYMARK_STATUS_TOKEN: key,
  WAYMARK_SIGNING_KEY: key,
  WAYMARK_EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false',
  WAYMARK_KAFKA_BROKERS: '127.0.0.1:1',
  WAYMARK_REDIS_URL: 'redis://127.0.0.1:1',
};

/** Resolves once a log line of a started process contains the text. */
const logged = (child: ReturnType<ReturnType<typeof useDesk>['spawn']>, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let printed = '';
    child.stderr?.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes(text)) resolve(printed);
    });
    child.once('exit', () => reject(new Error(`it ended without "${text}": ${printed}`)));
  });

describe('waymark SERVICE', () => {
  const desk = useDesk();
  const dead = useDesk(relaySettings);

  it.each(Object.keys(serviceEntries))(
    'runs %s, which names the settings that it lacks',
    async (service) => {
      const { code, stdout, stderr } = await desk.run(service);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`${service === 'edge' ? 'WAYMARK_EDGE_QUERY' : 'WAYMARK_EVENTSTORE_URL'}: must be set`);
    },
    patienceMs,
  );

  it(
    'runs until SIGTERM, also while its engines are unavailable',
    async () => {
      const child = dead.spawn('relay');
      await logged(child, 'not possible yet; retrying');
      expect(await ended(child, 'SIGTERM')).toBe(0);
    },
    patienceMs,
  );

  it.each([
    ['relay', 'bogus'],
    ['notary', 'bogus'],
    ['standalone', '--demo'],
  ])(
    'takes nothing else: %s %s',
    async (...words) => {
      expect(await desk.run(...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('(see --help)') });
    },
    patienceMs,
  );
});

describe('waymark standalone', () => {
  const desk = useDesk();

  it(
    'serves without an application, prints nothing but its log, and ends on SIGTERM',
    async () => {
      const child = desk.spawn('standalone');
      let printed = '';
      child.stdout?.on('data', (chunk) => {
        printed += chunk;
      });
      await logged(child, '"started"');
      const { api } = JSON.parse(readFileSync(join(desk.directory, 'operator.json'), 'utf8'));
      expect((await fetch(`${api}/v3.0/lists`)).status).toBe(401);
      expect(await desk.json(['app', 'list'])).toEqual([]);
      expect(await ended(child, 'SIGTERM')).toBe(0);
      expect(printed).toBe('');
      expect(existsSync(join(desk.directory, 'first-application.json'))).toBe(false);
    },
    patienceMs,
  );
});
