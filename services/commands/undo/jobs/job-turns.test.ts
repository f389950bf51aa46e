import { createJobTurns } from './job-turns.ts';
import { startedAccountsMax } from './limits.ts';

const jobsOf = (...names: readonly string[]) => names.map((id) => ({ id, account: id.slice(0, 1) }));

it('An account runs one job at a time, and the account whose last start is longest ago comes next', () => {
  const turns = createJobTurns();
  const jobs = jobsOf('a1', 'a2', 'a3', 'b1', 'b2');
  const next = (): string | undefined => {
    const job = turns.begin(jobs);
    if (job !== undefined) jobs.splice(jobs.indexOf(job), 1);
    return job?.id;
  };
  expect([next(), next(), next()]).toEqual(['a1', 'b1', undefined]);
  jobs.push(...jobsOf('c1'));
  turns.end('b');
  expect([next(), next()]).toEqual(['c1', 'b2']);
  turns.end('b');
  turns.end('a');
  jobs.push(...jobsOf('b3'));
  expect([next(), next(), next()]).toEqual(['a2', 'b3', undefined]);
});

it('It knows the last starts of a limited number of accounts', () => {
  const turns = createJobTurns();
  const names = Array.from({ length: startedAccountsMax + 1 }, (_, nth) => String(nth));
  for (const account of names) {
    turns.begin([{ account }]);
    turns.end(account);
  }
  const [first = '', second = ''] = names;
  expect(turns.begin([{ account: second }, { account: first }])).toEqual({ account: first });
});
