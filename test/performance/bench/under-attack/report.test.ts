import type { Sample, Samples } from './client.ts';
import { faultsOf, lineOf, withinMs } from './report.ts';

const got = (ms: number, status = 200): Sample => ({ ms, status, retryAfter: false });
const created = (ms: number, status = 201): Sample => ({ ms, status, retryAfter: false });
const alone: Samples = { get: [got(1)], create: [created(2)] };
const rowOf = (attacked: Samples, residentMb = 300) => ({ attack: 'an attack', alone, attacked, residentMb });
const faults = (attacked: Samples, residentMb?: number): readonly string[] => faultsOf(rowOf(attacked, residentMb), 512);

describe('the effect of an attack on another client', () => {
  it('is acceptable when all requests are answered in time', () => {
    expect(faults({ get: [got(withinMs)], create: [created(3)] })).toEqual([]);
  });

  it('may be a 503 with Retry-After, and no other error', () => {
    const refused = { ms: 1, status: 503, retryAfter: true };
    expect(faults({ get: [refused], create: [refused] })).toEqual([]);
    expect(faults({ get: [got(1, 503), got(1, 500)], create: [created(1, 0)] })).toEqual(['3 were answered 503, 500, no answer']);
  });

  it('is a fault when a response is too slow, or the server uses too much memory', () => {
    expect(faults({ get: [got(1), got(withinMs + 1)], create: [created(1)] }, 512)).toEqual([`1 took over ${withinMs} ms`, 'memory']);
  });

  it('is one line in the table', () => {
    const line = lineOf(rowOf({ get: [got(1), got(3), got(2_000)], create: [created(20)] }), 512);
    expect(line).toBe(
      '| an attack | 1.0 / 1.0 / 1.0 | 3.0 / 1800 / 2000 | 2.0 / 2.0 / 2.0 | 20 / 20 / 20 | 0 of 4 | 300 MiB | ✗ 1 took over 500 ms |',
    );
  });
});
