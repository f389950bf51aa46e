import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { members } from './samples.ts';
import { bodyOf, type Session, type Thing } from './session.ts';

export type Line = {
  readonly object: { readonly kind: string; readonly id: number };
  readonly outcome: string;
  readonly revision: number | null;
  readonly reason: string | null;
  readonly fields: readonly string[];
  readonly pinpoints: readonly number[];
};
export type Job = {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly dry_run: boolean;
  readonly progress: { readonly objects: number | null; readonly done: number };
  readonly report: {
    readonly changes: number;
    readonly objects: number;
    readonly undone: number;
    readonly partly: number;
    readonly kept: number;
    readonly first: string | null;
    readonly last: string | null;
    readonly applications: readonly string[];
    readonly results: readonly Line[];
    readonly next: string | null;
  };
};

/** A job that is slow makes some progress within this time. */
const progressWithinMs = 120_000;

export const startJob = async (me: Session, body: object, headers = {}): Promise<Pick<Job, 'id' | 'status'>> =>
  bodyOf<Job>(await me.post('/audit/v1/undos', body, headers), 202);

/** Waits until a job is over.
 * @throws if it makes no progress */
export const endOf = async (me: Session, id: string): Promise<Job> => {
  for (let seen = { done: -1, atMs: 0 }; ; ) {
    const job = bodyOf<Job>(await me.get(`/audit/v1/undos/${id}`), 200);
    if (job.status !== 'running') return job;
    const { done } = job.progress;
    if (done !== seen.done) seen = { done, atMs: performance.now() };
    else if (performance.now() - seen.atMs > progressWithinMs) throw new Error(`The job ${id} stands still: ${JSON.stringify(job)}`);
    await sleep(20);
  }
};

/** Returns all lines of a job that is over. */
export const linesOf = async (me: Session, job: Job): Promise<readonly Line[]> => {
  const lines = [...job.report.results];
  for (let { next } = job.report; next !== null; ) {
    const { pathname, search } = new URL(next);
    const { report } = bodyOf<Job>(await me.get(`${pathname}${search}`), 200);
    lines.push(...report.results);
    ({ next } = report);
  }
  return lines;
};

/** Runs a job to its end. */
export const runJob = async (me: Session, body: object): Promise<Job> => endOf(me, (await startJob(me, body)).id);

/** Runs a dry run, and then the job. Returns the job, after checking that both report the same. */
export const undoAll = async (me: Session, scope: object): Promise<Job> => {
  const dryRun = await runJob(me, { ...scope, dry_run: true });
  const job = await runJob(me, { ...scope, dry_run: false });
  expect(job).toMatchObject({ status: 'done', reason: null });
  const withoutRevisions = (lines: readonly Line[]) => lines.map(({ revision: _, ...line }) => line);
  expect(withoutRevisions(await linesOf(me, dryRun))).toEqual(withoutRevisions(await linesOf(me, job)));
  const { results: _dry, next: _dryNext, ...dry } = dryRun.report;
  const { results: _run, next: _runNext, ...run } = job.report;
  expect(dry).toEqual(run);
  return job;
};

/** Sends requests with one correlation. */
export const operation = (me: Session, correlation = randomUUID()) => {
  const headers = { 'Correlation-Id': correlation };
  return {
    correlation,
    create: async (path: string, fields: object): Promise<Thing> => bodyOf<Thing>(await me.post(path, fields, headers), 201),
    edit: async (path: string, fields: object) => bodyOf<Thing>(await me.put(path, fields, headers), 200),
    remove: async (path: string) => expect((await me.delete(path, undefined, headers)).status).toBe(204),
    add: async (list: number, ...ids: number[]) => bodyOf(await me.post(`/lists/${list}/pinpoints`, members(...ids), headers), 200),
    take: async (list: number, ...ids: number[]) => bodyOf(await me.delete(`/lists/${list}/pinpoints`, members(...ids), headers), 200),
  };
};

export const isGone = async (me: Session, path: string) => expect((await me.get(path)).status).toBe(404);
