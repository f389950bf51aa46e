import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { limits } from './limits.ts';
import { drawn, type Load, type Outcome } from './load.ts';
import { firstNumber } from './pinpoint.ts';
import { quantile } from './statistics.ts';

const { load, seconds }: { load: Load; seconds: number } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

let number = firstNumber();

const nextRequest = (request: autocannon.Request): autocannon.Request => {
  const { path, token } = drawn(load);
  const headers = { authorization: `Bearer ${token}` };
  if (load.parts === undefined) return { ...request, path, headers };
  number += 1;
  return { ...request, path, headers: { ...headers, 'content-type': 'application/json' }, body: load.parts.join(String(number)) };
};

// The percentiles of autocannon itself are whole milliseconds.
const timesMs: number[] = [];

const report = (result: autocannon.Result): void => {
  const outcome: Outcome = {
    requests: timesMs.length,
    perSecond: timesMs.length / result.duration,
    p50Ms: quantile(timesMs, 0.5),
    p99Ms: quantile(timesMs, 0.99),
    failures: { status: result.non2xx, errors: result.errors, timeout: result.timeouts },
  };
  console.log(JSON.stringify(outcome));
};

const options: autocannon.Options = {
  url: load.base,
  connections: load.connections,
  duration: seconds,
  timeout: limits.answerSeconds,
  requests: [{ method: load.method, setupRequest: nextRequest }],
};

autocannon(options, (error, result) => {
  if (error) throw error;
  report(result);
}).on('response', (_client, _status, _bytes, timeMs) => timesMs.push(timeMs));
