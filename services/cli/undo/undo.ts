import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, openApi } from '../client/api.ts';
import { type Answer, jsonOf } from '../client/http.ts';
import type { Operator } from '../client/operator.ts';
import { asOwnApplication } from '../client/own-application.ts';
import { undoPollEveryMs } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { grouped } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';

export type UndoOrder = {
  readonly account: string;
  readonly correlation: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly dryRun: boolean;
  /** Opens the display of the progress, once the number of objects is known. */
  readonly progress: (objects: number) => Progress;
};

/** What a job has done to one object. */
export type UndoResult = {
  readonly object: { readonly kind: string; readonly id: number | string };
  readonly outcome: string;
  readonly reason: string | null;
  readonly fields: readonly string[];
  readonly pinpoints: readonly number[];
};

/** A job that is over, with its whole report. */
export type UndoReport = {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly dry_run: boolean;
  readonly report: Counts & { readonly results: readonly UndoResult[] };
};

type Counts = {
  readonly changes: number | null;
  readonly objects: number | null;
  readonly undone: number;
  readonly partly: number;
  readonly kept: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly applications: readonly string[];
};

/** A job as the API returns it. */
type Job = Omit<UndoReport, 'report'> & {
  readonly progress: { readonly objects: number | null; readonly done: number };
  readonly report: UndoReport['report'] & { readonly next: string | null };
};

/** Undoes what a correlation did, through the API. */
export const undo = async (operator: Operator, { progress, ...order }: UndoOrder): Promise<UndoReport> => {
  const { api: url } = await operator.request('GET /operator/status');
  const application = asOwnApplication(operator, {
    account: order.account,
    isKnown: true,
    name: 'waymark undo',
    scopes: ['write', 'audit'],
  });
  const api = openApi({ url, credentials: application.credentials, inFlight: 1 });
  try {
    const { correlation, from = null, to = null, dryRun } = order;
    const body = JSON.stringify({ correlation, from, to, dry_run: dryRun });
    const started = await api.send({ method: 'POST', root: '/audit/v1', path: '/undos', body, idempotencyKey: randomUUID() });
    const job = await endOf(api, jobIn(started, 202).id, progress);
    const { next: _, ...report } = job.report;
    return { ...job, report: { ...report, results: await resultsOf(api, job) } };
  } finally {
    api.close();
    await application.leave();
  }
};

/** Waits until a job is over. */
const endOf = async (api: Api, id: string, progress: (objects: number) => Progress): Promise<Job> => {
  let shown: Progress | undefined;
  try {
    for (;;) {
      const job = await read(api, `/undos/${id}`);
      if (job.status !== 'running') return job;
      const { objects, done } = job.progress;
      if (objects !== null) {
        shown ??= progress(objects);
        shown.update(done, `${grouped(done)} of ${grouped(objects)} objects`);
      }
      await pause(undoPollEveryMs);
    }
  } finally {
    shown?.stop();
  }
};

const resultsOf = async (api: Api, { id, report }: Job): Promise<readonly UndoResult[]> => {
  const results = [...report.results];
  for (let { next } = report; next !== null; ) {
    const page = await read(api, `/undos/${id}${new URL(next).search}`);
    results.push(...page.report.results);
    ({ next } = page.report);
  }
  return results;
};

const read = async (api: Api, path: string): Promise<Job> => jobIn(await api.send({ method: 'GET', root: '/audit/v1', path }), 200);

const jobIn = (answer: Answer, status: number): Job => {
  const job = answer.status === status ? jsonOf<Job>(answer) : undefined;
  if (job === undefined) throw new CommandFailed('refused', `The API answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return job;
};
