import type { AuthenticationFailure } from '@waymark/http/authentication-failures.ts';
import { failureLinesMax } from '@waymark/http/limits.ts';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createFailureNotes } from './authentication-failures.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const failure: AuthenticationFailure = { endpoint: 'bearer', route: '/lists', address: '203.0.113.7', reason: 'unknown-token' };

const noting = () => {
  const lines: Record<string, unknown>[] = [];
  const registry = new Registry();
  const note = createFailureNotes(pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }), registry);
  return { note, lines, registry };
};

describe('a failed authentication', () => {
  it('is logged at the default level', () => {
    const { note, lines } = noting();
    note({ ...failure, endpoint: 'token', reason: 'wrong-secret', client: 'museum' });
    expect(lines).toEqual([
      expect.objectContaining({ level: 30, address: '203.0.113.7', route: '/lists', reason: 'wrong-secret', client: 'museum' }),
    ]);
  });

  it('is sampled under a flood, and a line reports how many were left out', async () => {
    const { note, lines, registry } = noting();
    for (let nth = 0; nth < 1_000; nth += 1) note(failure);
    expect(lines).toHaveLength(failureLinesMax);
    jest.advanceTimersByTime(1_000);
    note(failure);
    note(failure);
    expect(lines.slice(failureLinesMax).map(({ notLogged }) => notLogged)).toEqual([1_000 - failureLinesMax, undefined]);
    expect(await registry.metrics()).toContain('waymark_authentication_failures_total{endpoint="bearer",reason="unknown-token"} 1002');
  });
});
