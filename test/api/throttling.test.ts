import { type Answer, statusAndBody } from './client.ts';
import { aList } from './samples.ts';
import { type Application, basic } from './session.ts';
import { describeWith, type Settings, type Target } from './target.ts';

const failuresMax = 10;
const limited: Settings = { WAYMARK_RATE_LIMITS: 'on' };
/** The limit is per second and application, counted over ten seconds. */
const few: Settings = { ...limited, WAYMARK_RATE_LIMIT_REQUESTS: '2' };

const throttled = { status: 429, body: { detail: 'Request was throttled.' } };

const expectRetryAfter = (answer: Answer): void => expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);

type Guess = { readonly from?: string; readonly headers?: Record<string, string> };

/** Sends a token request with a wrong secret. */
const guess = (server: Target, { client_id }: Pick<Application, 'client_id'>, { from, headers }: Guess = {}): Promise<Answer> =>
  server.send({
    method: 'POST',
    path: '/v3.0/oauth2/token',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: basic({ client_id, client_secret: 'a guess' }),
      ...headers,
    },
    body: 'grant_type=client_credentials',
    ...(from === undefined ? {} : { from }),
  });

const guessTimes = async (times: number, once: () => Promise<Answer>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let made = 0; made < times; made += 1) statuses.push((await once()).status);
  return statuses;
};

const allFailed = Array.from({ length: failuresMax }, () => 401);

describeWith('Guessing:', limited, (server) => {
  it('more than 10 failures a minute for one client from one address: 429 with Retry-After', async () => {
    const application = await server.application();
    expect(await guessTimes(failuresMax, () => guess(server, application))).toEqual(allFailed);
    const answer = await guess(server, application);
    expect(statusAndBody(answer)).toEqual(throttled);
    expectRetryAfter(answer);
  });

  it('successful requests are not counted', async () => {
    const application = await server.application();
    expect(await guessTimes(failuresMax - 1, () => guess(server, application))).not.toContain(429);
    for (let made = 0; made < 30; made += 1) await server.session(application);
    expect((await guess(server, application)).status).toBe(401);
  });

  it('failures of an unknown client are counted as well', async () => {
    const unknown = { client_id: `unknown-${Date.now()}` };
    expect(await guessTimes(failuresMax + 1, () => guess(server, unknown))).toEqual([...allFailed, 429]);
  });

  it('failures are counted separately for each client and each address', async () => {
    const [application, other] = [await server.application(), await server.application()];
    await guessTimes(failuresMax + 1, () => guess(server, application));
    expect((await guess(server, other)).status).toBe(401);
    expect((await guess(server, application, { from: '127.0.0.2' })).status).toBe(401);
  });

  it('X-Forwarded-For is ignored unless a trusted proxy sends it', async () => {
    const application = await server.application();
    let peer = 0;
    const disguised = (): Promise<Answer> => {
      peer += 1;
      return guess(server, application, { headers: { 'X-Forwarded-For': `203.0.113.${peer}` } });
    };
    expect(await guessTimes(failuresMax + 1, disguised)).toEqual([...allFailed, 429]);
  });
});

const fewFailures: Settings = { ...limited, WAYMARK_ADDRESS_FAILURES: '30' };
const manyGuesses = 40;
const countOf = (statuses: readonly number[], status: number): number => statuses.filter((one) => one === status).length;

describeWith('Guessing: from one address', fewFailures, (server) => {
  const guessTokens = (from?: string): Promise<number[]> => {
    let made = 0;
    return guessTimes(manyGuesses, () => {
      made += 1;
      return server.send({
        method: 'GET',
        path: '/v3.0/lists',
        headers: { Authorization: `Bearer guess-${from}-${made}-${Date.now()}` },
        ...(from === undefined ? {} : { from }),
      });
    });
  };
  const guessClients = (from?: string): Promise<number[]> => {
    let made = 0;
    return guessTimes(manyGuesses, () => {
      made += 1;
      return guess(server, { client_id: `guess-${made}` }, from === undefined ? {} : { from });
    });
  };

  it('with a new client id each time is throttled', async () => {
    const statuses = await guessClients('127.0.0.4');
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([30, 10]);
  });

  it('bearer tokens are counted as well', async () => {
    const statuses = await guessTokens('127.0.0.5');
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([30, 10]);
    const answer = await guess(server, { client_id: 'any' }, { from: '127.0.0.5' });
    expect(statusAndBody(answer)).toEqual(throttled);
    expectRetryAfter(answer);
  });

  it('concurrent guesses are counted as well', async () => {
    const answers = await Promise.all(
      Array.from({ length: manyGuesses }, (_, nth) => guess(server, { client_id: `at-once-${nth}` }, { from: '127.0.0.6' })),
    );
    const statuses = answers.map(({ status }) => status);
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([30, 10]);
  });

  it('a secret and a token that the process knows are always accepted; other addresses are counted separately', async () => {
    const me = await server.account();
    expect((await me.get('/lists')).status).toBe(200);
    await guessTimes(failuresMax + 1, () => guess(server, me.application));
    expect(countOf(await guessClients(), 429)).toBeGreaterThan(0);
    expect(countOf(await guessTokens(), 429)).toBeGreaterThan(0);
    expect((await me.get('/lists')).status).toBe(200);
    const again = await server.session(me.application);
    expect(again.application).toEqual(me.application);
    expect((await guess(server, me.application, { from: '127.0.0.7' })).status).toBe(401);
  });
});

describeWith('Guessing: behind a trusted proxy,', { ...limited, WAYMARK_TRUSTED_PROXIES: '127.0.0.1' }, (server) => {
  const via = (forwarded: string): Guess => ({ headers: { 'X-Forwarded-For': forwarded } });

  it('the address is the one that the proxy reports', async () => {
    const application = await server.application();
    expect(await guessTimes(failuresMax + 1, () => guess(server, application, via('203.0.113.7')))).toEqual([...allFailed, 429]);
    expect((await guess(server, application, via('203.0.113.8'))).status).toBe(401);
  });

  it('addresses that the client itself sent are ignored', async () => {
    const application = await server.application();
    let peer = 0;
    const disguised = (): Promise<Answer> => {
      peer += 1;
      return guess(server, application, via(`198.51.100.${peer}, 203.0.113.9`));
    };
    expect(await guessTimes(failuresMax + 1, disguised)).toEqual([...allFailed, 429]);
  });

  it('the header of a peer other than the proxy is ignored', async () => {
    const application = await server.application();
    let peer = 0;
    const disguised = (): Promise<Answer> => {
      peer += 1;
      return guess(server, application, { from: '127.0.0.3', ...via(`203.0.113.${peer}`) });
    };
    expect(await guessTimes(failuresMax + 1, disguised)).toEqual([...allFailed, 429]);
  });
});

describeWith('429:', few, (server) => {
  it('too many requests of one application, with Retry-After; another application continues', async () => {
    const [me, other] = [await server.account(), await server.account()];
    const answers = await Promise.all(Array.from({ length: 60 }, () => me.get('/lists')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(statusAndBody(answer)).toEqual(throttled);
      expectRetryAfter(answer);
    }
    expect((await other.get('/lists')).status).toBe(200);
  });

  it('a refused write has no effect', async () => {
    const me = await server.account();
    const answers = await Promise.all(Array.from({ length: 60 }, () => me.post('/lists', aList())));
    const made = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - made);
    const rested = await server.session(await server.application(me.application.account));
    expect((await rested.page('/lists?limit=500')).results).toHaveLength(made);
  });
});
