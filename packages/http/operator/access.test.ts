import { pino } from 'pino';
import { createOpenApp } from '../app.ts';
import type { AuthenticationFailure } from '../authentication-failures.ts';
import { createBudgets } from '../request/budgets.ts';
import { sendRaw, statusesOf } from '../testing/raw-http.ts';
import { useTestServers } from '../testing/serving.ts';
import { createOperatorAccess } from './access.ts';
import { requireOperator } from './routes.ts';

const { served } = useTestServers();
const token = 'o'.repeat(32);

const port = async (failures: AuthenticationFailure[] = []) => {
  const access = createOperatorAccess({
    tokens: [token],
    names: ['Ops.example'],
    addresses: { of: () => 'here', ofPeer: () => 'here', isFromEdge: () => false },
    note: (failure) => failures.push(failure),
  });
  const lifecycle = {
    corsOrigins: new Set<string>(),
    observe: () => undefined,
    logger: pino({ level: 'silent' }),
    closing: () => false,
    access,
    budgets: createBudgets(0),
  };
  const handle = async () => ({ status: 200, body: '{}' });
  return served(
    createOpenApp(lifecycle, [
      { method: 'GET', path: '/metrics', handle },
      requireOperator([token], { method: 'GET', path: '/op', handle }),
    ]),
  );
};

const statusFor = async (path: string, headers: string, version = '1.1'): Promise<readonly number[]> =>
  statusesOf(await sendRaw((await port()).port, `GET ${path} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`).closed);

describe('the operator port', () => {
  it.each([
    'localhost',
    'LOCALHOST:8081',
    'localhost.',
    '127.0.0.1',
    '127.0.0.1:8081',
    '10.1.2.3:80',
    '[::1]',
    '[fd00::1]:8081',
    'ops.example',
    'OPS.EXAMPLE:1',
  ])('answers requests without a token for %s', async (host) => {
    expect(await statusFor('/metrics', `Host: ${host}\r\n`)).toEqual([200]);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'ops.example.evil',
    '127.0.0.1.evil.example',
    'x',
    '',
    '[evil]',
    '127.0.0.1@evil',
    'a:b:c',
    '1',
  ])('refuses requests without a token for %j, against DNS rebinding', async (host) => {
    expect(await statusFor('/metrics', `Host: ${host}\r\n`)).toEqual([421]);
    expect(await statusFor('/op', `Host: ${host}\r\n`)).toEqual([421]);
    expect(await statusFor('/nothing', `Host: ${host}\r\n`)).toEqual([421]);
    expect(await statusFor('/metrics', `Host: ${host}\r\nAuthorization: Bearer wrong\r\n`)).toEqual([421]);
  });

  it('accepts a request with the token under any Host', async () => {
    for (const path of ['/op', '/metrics']) {
      expect(await statusFor(path, `Host: evil.example\r\nAuthorization: Bearer ${token}\r\n`)).toEqual([200]);
    }
  });

  it('answers a probe over HTTP/1.0 without a Host', async () => {
    expect(await statusFor('/metrics', '', '1.0')).toEqual([200]);
  });

  it('records requests that were not authenticated', async () => {
    const failures: AuthenticationFailure[] = [];
    const { url } = await port(failures);
    await fetch(`${url}/op`);
    await fetch(`${url}/op`, { headers: { Authorization: 'Bearer guess' } });
    await fetch(`${url}/op`, { headers: { Authorization: `Bearer ${token}` } });
    expect(failures).toEqual([
      { endpoint: 'operator', route: '/op', address: 'here', reason: 'missing' },
      { endpoint: 'operator', route: '/op', address: 'here', reason: 'unknown-token' },
    ]);
  });
});
