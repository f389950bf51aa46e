import { startedAccountsMax } from './limits.ts';

/** Chooses whose job starts next: an account runs one at a time, and its jobs do not keep those of other accounts waiting. */
export type JobTurns = {
  /** Returns the first of some jobs whose account runs none, of the account that has started one longest ago; undefined if there is none. The
   * account then runs a job, until `end`. */
  readonly begin: <Job extends { readonly account: string }>(jobs: Iterable<Job>) => Job | undefined;
  readonly end: (account: string) => void;
};

export const createJobTurns = (): JobTurns => {
  const running = new Set<string>();
  /** In the order in which they have last started a job. */
  const started = new Set<string>();
  const record = (account: string): void => {
    running.add(account);
    started.delete(account);
    started.add(account);
    const [oldest] = started;
    if (oldest !== undefined && started.size > startedAccountsMax) started.delete(oldest);
  };
  return {
    begin: (jobs) => {
      const waiting = [...jobs].filter(({ account }) => !running.has(account));
      const first = new Map(waiting.toReversed().map((job) => [job.account, job]));
      const isNew = ({ account }: { readonly account: string }): boolean => !started.has(account);
      const next = waiting.find(isNew) ?? first.get([...started].find((account) => first.has(account)) ?? '');
      if (next !== undefined) record(next.account);
      return next;
    },
    end: (account) => void running.delete(account),
  };
};
