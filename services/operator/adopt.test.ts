import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import type { OwnKeys } from '@waymark/cluster-runtime/identity.ts';
import { createOpenApp, type OpenRoute } from '@waymark/http/app.ts';
import { json, requireOperator } from '@waymark/http/operator/routes.ts';
import { createOperatorBudgets } from '@waymark/http/request/budgets.ts';
import { type Listening, listen } from '@waymark/http/server/server.ts';
import { pino } from 'pino';
import { adoptRoute, refusedUntilAccepted } from './adopt.ts';
import type { InsteadOfOptions } from './instead-of.ts';

const token = 'operator';
const other = '00000000-0000-4000-8000-00000000000a';
const someLog = { state: async () => ({ incarnation: 'log', installation: other.replace('a', 'b'), head: 0 }) };
const unavailable = (): Promise<never> => Promise.reject(new BrokerUnavailable('No broker responds.'));

describe('an operator service whose signing keys are refused', () => {
  let server: Listening;
  let refusal: string | undefined;
  let adoption: string | undefined;
  let done: string[];
  beforeEach(async () => {
    [refusal, adoption, done] = ['These keys are refused.', undefined, []];
    const keys: Pick<OwnKeys, 'refused' | 'adopt'> = {
      refused: () => refusal,
      adopt: async () => {
        if (adoption === undefined) refusal = undefined;
        return adoption;
      },
    };
    const some = (['GET', 'POST', 'DELETE'] as const).map(
      (method): OpenRoute => ({
        method,
        path: '/operator/some',
        handle: async () => {
          done.push(method);
          return json(200, {});
        },
      }),
    );
    const edge = {
      observe: () => undefined,
      logger: pino({ level: 'silent' }),
      closing: () => false,
      corsOrigins: new Set<string>(),
      budgets: createOperatorBudgets(),
    };
    const others = {
      log: someLog,
      topic: { ensure: unavailable, last: unavailable, tail: unavailable, named: unavailable, empty: unavailable },
      readSide: { installation: unavailable, emptying: unavailable, beatsOf: unavailable, takeover: unavailable as never },
      history: { installation: unavailable, emptying: unavailable, takeover: unavailable as never },
    } satisfies InsteadOfOptions;
    const routes = [adoptRoute(keys, others), ...refusedUntilAccepted(keys, some)].map((route) => requireOperator([token], route));
    server = await listen(createOpenApp(edge, routes), '127.0.0.1', 0);
  });
  afterEach(() => server.close(100));

  const send = async (method: string, path: string, body?: unknown, bearer = token) => {
    const answer = await fetch(`${server.url}/operator/${path}`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, retry: answer.headers.get('Retry-After'), body: await answer.json() };
  };

  it('answers read requests, and refuses changes', async () => {
    expect((await send('GET', 'some')).status).toBe(200);
    for (const method of ['POST', 'DELETE']) {
      expect(await send(method, 'some')).toMatchObject({
        status: 503,
        retry: expect.any(String),
        body: { detail: 'These keys are refused.' },
      });
    }
    expect(done).toEqual(['GET']);
  });

  it('has them accepted by an operator, and works from then on', async () => {
    expect((await send('POST', 'adopt', { signing_key: true }, 'guessed')).status).toBe(401);
    expect(await send('POST', 'adopt', { signing_key: true })).toMatchObject({ status: 200, body: { signing_key: 'accepted' } });
    expect((await send('POST', 'some')).status).toBe(200);
  });

  it('returns the reason if they cannot be accepted', async () => {
    adoption = 'There are too many keys.';
    expect(await send('POST', 'adopt', { signing_key: true })).toMatchObject({ status: 409, body: { detail: adoption } });
    expect((await send('POST', 'some')).status).toBe(503);
  });

  it('takes nothing over from another installation before they are accepted', async () => {
    expect(await send('POST', 'adopt', { instead_of: other })).toMatchObject({ status: 503, body: { detail: 'These keys are refused.' } });
    await send('POST', 'adopt', { signing_key: true });
    for (const wrong of [other.toUpperCase(), `${other}0`, '', 1, null, [other]]) {
      expect((await send('POST', 'adopt', { instead_of: wrong })).status).toBe(400);
    }
  });

  it('takes nothing over while Kafka is unavailable', async () => {
    await send('POST', 'adopt', { signing_key: true });
    expect(await send('POST', 'adopt', { instead_of: other })).toMatchObject({
      status: 503,
      retry: expect.any(String),
      body: { detail: 'Kafka is not available.' },
    });
  });

  it('refuses an unknown request', async () => {
    for (const order of [{}, null, [], { signing_key: 'true' }, { signing_keys: true }, { signing_key: true, instead_of: other }]) {
      expect((await send('POST', 'adopt', order)).status).toBe(400);
    }
    expect(refusal).toBeDefined();
  });
});
