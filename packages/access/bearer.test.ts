// This file is long because guessed tokens are tested on the same process as all other properties of a token.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { ApplicationEvent } from '@waymark/domain/application/events.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import type { Access } from '@waymark/http/access.ts';
import { createAdmission } from '@waymark/http/admission.ts';
import type { AuthenticationFailure } from '@waymark/http/authentication-failures.ts';
import { createKnownKeysTable, openKnownKeys } from '@waymark/http/counters/known-keys.ts';
import { HttpError } from '@waymark/http/errors.ts';
import { addressRequestsMax } from '@waymark/http/limits.ts';
import { type FailureLimit, noFailureLimit } from '@waymark/http/rate-limit.ts';
import { secretHash } from '@waymark/http/secret-hash.ts';
import type { ApplicationDocument } from '@waymark/read-models/read-models.ts';
import { createApplications } from './applications.ts';
import { createBearerAuthentication } from './bearer.ts';
import { createMemoryFailureLimit } from './failure-limits.ts';
import { applicationLog, registered } from './testing/application-log.ts';
import { type TokenRecord, type TokenStore, TokenStoreUnavailable } from './tokens/token-store.ts';
import { openWindowCounters } from './window-counters.ts';

const application = 'app-1';
const change = {
  suspend: { type: 'ApplicationSuspended', application },
  resume: { type: 'ApplicationResumed', application },
  remove: { type: 'ApplicationDeleted', application },
  addSecret: { type: 'SecretAdded', application, secret: { id: 'secret-2', hash: 'hash-2' } },
  dropSecret: { type: 'SecretDropped', application, secretId: 'secret-1' },
  readOnly: { type: 'ApplicationScopesChanged', application, scopes: ['read', 'audit'] },
} satisfies Record<string, ApplicationEvent>;

const access: Access = { account: 'account-1', application, token: 'token-1', scopes: ['write', 'read'] };

const request = new IncomingMessage(new Socket());

const admissionWith = (addressFailures: FailureLimit, failures: AuthenticationFailure[] = [], known = openKnownKeys()) =>
  createAdmission({
    addresses: { of: () => 'here', ofPeer: () => 'here', isFromEdge: () => false },
    addressFailures,
    clientFailures: noFailureLimit,
    note: (failure) => failures.push(failure),
    known,
  });

/** Creates a process that checks bearer tokens and has issued the token "good" for the first secret. */
const process = (...history: readonly ApplicationEvent[]) => limitedProcess(noFailureLimit, history);

const limitedProcess = (addressFailures: FailureLimit, history: readonly ApplicationEvent[] = [], known = openKnownKeys()) => {
  const { log, events } = applicationLog([registered, ...history]);
  const records = new Map<string, TokenRecord>();
  const looks: string[] = [];
  const failures: AuthenticationFailure[] = [];
  const tokens: TokenStore = {
    save: async (record) => void records.set(record.hash, record),
    find: async (hash, nowMs) => {
      looks.push(hash);
      const record = records.get(hash);
      return record === undefined || record.expiresAtMs <= nowMs ? undefined : record;
    },
    revoke: async (hash) => void records.delete(hash),
  };
  const issue = (token: string, secretId = 'secret-1', applicationRevision = events.length - 1): void => {
    const { scopes } = access;
    const issuedAtMs = Date.now();
    const expiresAtMs = issuedAtMs + 36_000_000;
    const hash = secretHash(token);
    records.set(hash, {
      hash,
      id: 'token-1',
      application,
      account: 'account-1',
      scopes,
      secretId,
      applicationRevision,
      issuedAtMs,
      expiresAtMs,
    });
  };
  issue('good');
  const applications = createApplications(log);
  const admission = admissionWith(addressFailures, failures, known);
  return {
    authenticate: createBearerAuthentication(tokens, applications, admission),
    admission,
    applications,
    tokens,
    events,
    looks,
    issue,
    failures,
  };
};

type Outcome = Access | { readonly status: number; readonly challenge: string | undefined };

const outcome = async (
  { authenticate }: Pick<ReturnType<typeof process>, 'authenticate'>,
  authorization: string | undefined,
): Promise<Outcome> => {
  try {
    return await authenticate(authorization, { request, route: '/lists' });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { status: error.status, challenge: error.headers['WWW-Authenticate'] };
  }
};

const none = { status: 401, challenge: 'Bearer realm="api"' };
const invalid = { status: 401, challenge: 'Bearer realm="api", error="invalid_token"' };
const forbidden = { status: 403, challenge: undefined };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a header', () => {
  it.each([undefined, '', 'Basic YTpi', 'Token good', 'good', 'Bearers good', 'BearerX good'])(
    'does not contain a token: %s',
    async (authorization) => {
      expect(await outcome(process(), authorization)).toEqual(none);
    },
  );

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer unknown',
    'Bearer good x',
    'Bearer good,x',
    'Bearer "good"',
    'Bearer goöd',
    'Bearer\tgood',
    'Bearer =good',
    'Bearer GOOD',
    `Bearer ${'a'.repeat(513)}`,
    `Bearer ${'a'.repeat(15_000)}`,
    `Bearer${' '.repeat(15_000)}"`,
  ])('contains an invalid token: %s', async (authorization) => {
    expect(await outcome(process(), authorization)).toEqual(invalid);
  });

  it.each(['Bearer good', 'bearer good', 'BEARER   good ', `Bearer${' '.repeat(10_000)}good`])(
    'contains a valid token: %s',
    async (authorization) => {
      expect(await outcome(process(), authorization)).toEqual(access);
    },
  );

  it('is cached for 1 s, whether its token is valid or not', async () => {
    const here = process();
    for (let time = 0; time < 10; time += 1) {
      expect(await outcome(here, 'Bearer good')).toEqual(access);
      expect(await outcome(here, 'Bearer bad')).toEqual(invalid);
      jest.advanceTimersByTime(99);
    }
    expect(here.looks).toHaveLength(2);
    jest.advanceTimersByTime(10);
    await outcome(here, 'Bearer good');
    expect(here.looks).toHaveLength(3);
  });

  it('has one place in the cache, in however many ways a client writes it', async () => {
    const here = process();
    for (const header of ['Bearer good', 'bearer good', 'Bearer  good', 'BEARER good ']) await outcome(here, header);
    expect(here.looks).toHaveLength(1);
  });

  it('that is longer than any issued token is not cached', async () => {
    const here = process();
    for (let time = 0; time < 3; time += 1) await outcome(here, `Bearer ${'a'.repeat(500)}`);
    expect(here.looks).toHaveLength(3);
  });
});

describe('a token', () => {
  it('is invalid once it has expired', async () => {
    const here = process();
    jest.advanceTimersByTime(36_000_000);
    expect(await outcome(here, 'Bearer good')).toEqual(invalid);
  });

  it('is invalid once its secret is dropped; tokens of the other secret stay valid', async () => {
    const here = process(change.addSecret);
    here.issue('second', 'secret-2');
    here.events.push(change.dropSecret);
    expect(await outcome(here, 'Bearer good')).toEqual(invalid);
    expect(await outcome(here, 'Bearer second')).toEqual(access);
  });

  it('is invalid once its application is deleted', async () => {
    const here = process();
    here.events.push(change.remove);
    expect(await outcome(here, 'Bearer good')).toEqual(invalid);
  });

  it('has only those of its scopes that its application still has, 1 s after a change at the latest', async () => {
    const here = process();
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    here.events.push(change.readOnly);
    jest.advanceTimersByTime(1_000);
    expect(await outcome(here, 'Bearer good')).toEqual({ ...access, scopes: ['read'] });
  });

  it('is invalid if its application never existed', async () => {
    const here = process();
    here.events.length = 0;
    expect(await outcome(here, 'Bearer good')).toEqual(invalid);
  });

  it('is known but forbidden while its application is suspended, and stays invalid after the application is resumed', async () => {
    const here = process();
    here.events.push(change.suspend);
    expect(await outcome(here, 'Bearer good')).toEqual(forbidden);
    here.events.push(change.resume);
    jest.advanceTimersByTime(1_000);
    expect(await outcome(here, 'Bearer good')).toEqual(invalid);
    here.issue('new');
    expect(await outcome(here, 'Bearer new')).toEqual(access);
  });

  it('that was issued after a change in another process is valid at once, whatever this process had cached', async () => {
    const here = process();
    await outcome(here, 'Bearer good');
    here.events.push(change.addSecret, change.dropSecret);
    here.issue('new', 'secret-2');
    expect(await outcome(here, 'Bearer new')).toEqual(access);
  });
});

describe('a token that is newer than the known state of its application', () => {
  it('is neither accepted nor refused while the log is unavailable', async () => {
    const { events, tokens } = process(change.addSecret);
    const { log } = applicationLog([]);
    const unavailable = { ...log, lastRevisions: () => Promise.reject(new LogUnavailable('away')) };
    const row: ApplicationDocument = {
      ...{ id: application, account: 'account-1', revision: 0, status: 'active', suspended: -1 },
      ...{ name: 'CMS', scopes: ['write', 'read'], secrets: [{ id: 'secret-1', hash: 'hash-1' }] },
    };
    const models = { application: async () => row };
    const here = {
      authenticate: createBearerAuthentication(tokens, createApplications(unavailable, { models }), admissionWith(noFailureLimit)),
    };
    expect(events).toHaveLength(2);
    await expect(outcome(here, 'Bearer good')).rejects.toThrow(LogUnavailable);
    models.application = async () => ({ ...row, revision: 1 });
    expect(await outcome(here, 'Bearer good')).toEqual(access);
  });
});

describe('after a revocation in another process, a token', () => {
  const revocations: readonly [what: string, revoke: (here: ReturnType<typeof process>) => unknown, then: Outcome][] = [
    ['a token', ({ tokens }) => tokens.revoke(secretHash('good')), invalid],
    ['a secret', ({ events }) => events.push(change.dropSecret), invalid],
    ['an application', ({ events }) => events.push(change.remove), invalid],
    ['a suspended application', ({ events }) => events.push(change.suspend), forbidden],
  ];

  it.each(revocations)('is refused within 1 s, whenever it was last checked: %s', async (_, revoke, then) => {
    for (const knownForMs of [0, 1, 500, 999]) {
      const here = process();
      await here.applications.find(application);
      jest.advanceTimersByTime(knownForMs);
      expect(await outcome(here, 'Bearer good')).toEqual(access);
      await revoke(here);
      jest.advanceTimersByTime(1_000);
      expect(await outcome(here, 'Bearer good')).toEqual(then);
    }
  });
});

describe('while a store is unavailable, a token', () => {
  it('is not accepted, and the store is queried again for the next request: tokens', async () => {
    const { applications, tokens } = process();
    let unavailable = true;
    const flaky: TokenStore = {
      ...tokens,
      find: (...asked) => (unavailable ? Promise.reject(new TokenStoreUnavailable()) : tokens.find(...asked)),
    };
    const here = { authenticate: createBearerAuthentication(flaky, applications, admissionWith(noFailureLimit)) };
    await expect(outcome(here, 'Bearer good')).rejects.toThrow(TokenStoreUnavailable);
    unavailable = false;
    expect(await outcome(here, 'Bearer good')).toEqual(access);
  });

  it('is not accepted, and the store is queried again for the next request: applications', async () => {
    const { applications, tokens } = process();
    let unavailable = true;
    const find: typeof applications.find = (id) => (unavailable ? Promise.reject(new LogUnavailable()) : applications.find(id));
    const here = { authenticate: createBearerAuthentication(tokens, { ...applications, find }, admissionWith(noFailureLimit)) };
    await expect(outcome(here, 'Bearer good')).rejects.toThrow(LogUnavailable);
    unavailable = false;
    expect(await outcome(here, 'Bearer good')).toEqual(access);
  });
});

describe('guessing tokens', () => {
  const throttled = { status: 429, challenge: undefined };
  const threeFailures = (known = openKnownKeys()) =>
    limitedProcess(createMemoryFailureLimit({ name: 'failures', points: 3, seconds: 60 }, openWindowCounters()), [], known);
  const guess = async (here: ReturnType<typeof process>, count: number): Promise<readonly unknown[]> =>
    Promise.all(Array.from({ length: count }, (_, nth) => outcome(here, `Bearer guess-${nth}`)));

  it('is limited to the quota, concurrent guesses included; above the quota the token store is not queried', async () => {
    const here = threeFailures();
    expect(await guess(here, 10)).toEqual([...Array.from({ length: 3 }, () => invalid), ...Array.from({ length: 7 }, () => throttled)]);
    expect(here.looks).toHaveLength(3);
    expect(await outcome(here, 'Bearer good x')).toEqual(throttled);
  });

  it('does not affect a token that the process knows, and that token can still be revoked', async () => {
    const here = threeFailures();
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    await guess(here, 10);
    jest.advanceTimersByTime(2_000);
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    await here.tokens.revoke(secretHash('good'));
    jest.advanceTimersByTime(1_000);
    expect(await outcome(here, 'Bearer good')).toEqual(invalid);
    expect(await outcome(here, 'Bearer good')).toEqual(throttled);
  });

  it('does not affect a token that another thread of the process knows, until a thread finds it revoked', async () => {
    const table = createKnownKeysTable();
    const [knowing, here, third] = [
      threeFailures(openKnownKeys(table)),
      threeFailures(openKnownKeys(table)),
      threeFailures(openKnownKeys(table)),
    ];
    expect(await outcome(knowing, 'Bearer good')).toEqual(access);
    for (const thread of [here, third]) await guess(thread, 10);
    expect(await outcome(here, 'Bearer guess')).toEqual(throttled);
    await third.tokens.revoke(secretHash('good'));
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    expect(await outcome(third, 'Bearer good')).toEqual(invalid);
    expect(await outcome(third, 'Bearer good')).toEqual(throttled);
  });

  it('does not affect a token that another thread knows if the address has too many requests in progress', async () => {
    const table = createKnownKeysTable();
    const [knowing, here] = [threeFailures(openKnownKeys(table)), limitedProcess(noFailureLimit, [], openKnownKeys(table))];
    await outcome(knowing, 'Bearer good');
    for (let nth = 0; nth < addressRequestsMax; nth += 1) here.admission.enter('here');
    expect(await outcome(here, 'Bearer guess')).toEqual(throttled);
    expect(await outcome(here, 'Bearer good')).toEqual(access);
  });

  it('does not evict the known tokens from the cache', async () => {
    const here = limitedProcess(createMemoryFailureLimit({ name: 'failures', points: 11_000, seconds: 60 }, openWindowCounters()));
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    for (let nth = 0; nth < 11_000; nth += 1) await outcome(here, `Bearer guess-${nth}`);
    expect(await outcome(here, 'Bearer another')).toEqual(throttled);
    expect(await outcome(here, 'Bearer good')).toEqual(access);
  });

  it('does not include requests with valid tokens or without a token: they are not counted', async () => {
    const here = threeFailures();
    for (let nth = 0; nth < 20; nth += 1) {
      here.issue(`good-${nth}`);
      expect(await outcome(here, `Bearer good-${nth}`)).toEqual(access);
      expect(await outcome(here, undefined)).toEqual(none);
    }
    expect(await outcome(here, 'Bearer guess')).toEqual(invalid);
  });

  it('is limited to a number of requests in progress per address; requests with a known token are not counted', async () => {
    const here = process();
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    const guesses = guess(here, addressRequestsMax + 1);
    expect(await outcome(here, 'Bearer good')).toEqual(access);
    expect((await guesses).filter((one) => (one as { status: number }).status === 429)).toHaveLength(1);
    expect(await outcome(here, 'Bearer guess')).toEqual(invalid);
  });

  it('is recorded as an authentication failure, with the application only if it is known', async () => {
    const here = threeFailures();
    await outcome(here, 'Bearer guess');
    await outcome(here, undefined);
    await outcome(here, 'Bearer');
    here.events.push(change.suspend);
    await outcome(here, 'Bearer good');
    expect(here.failures).toEqual(
      [
        { reason: 'unknown-token', client: undefined },
        { reason: 'missing', client: undefined },
        { reason: 'malformed', client: undefined },
        { reason: 'suspended', client: application },
      ].map((failure) => ({ ...failure, endpoint: 'bearer', route: '/lists', address: 'here' })),
    );
  });
});
