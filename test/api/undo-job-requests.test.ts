import { randomUUID } from 'node:crypto';
import { openAuditor } from './history.ts';
import { aPinpoint } from './samples.ts';
import { bodyOf, type Session } from './session.ts';
import { useTarget } from './target.ts';
import { edit } from './undo.ts';
import { endOf, isGone, type Job, linesOf, operation, startJob, undoAll } from './undo-jobs.ts';

const waymark = useTarget();
const editor = (): Promise<Session> => openAuditor(waymark);

describe('an undo of an application', () => {
  it('takes back what it did in a span of time', async () => {
    const me = await editor();
    const script = await openAuditor(waymark);
    const mine = await waymark.session(await waymark.application(undefined, ['read', 'write', 'audit']));
    expect(mine.application.account).not.toBe(script.application.account);
    const first = await script.create('/pinpoints', aPinpoint({ name: 'A' }));
    const from = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await edit(script, 'pinpoints', first.id, aPinpoint({ name: 'B' }));
    const second = await script.create('/pinpoints', aPinpoint());
    const to = new Date().toISOString();
    const scope = { application: script.application.client_id, from, to };
    expect((await undoAll(me, scope)).report).toMatchObject({ objects: 0 });
    expect((await undoAll(script, scope)).report).toMatchObject({ changes: 2, objects: 2, undone: 2 });
    expect(await script.read(`/pinpoints/${first.id}`)).toEqual(first);
    await isGone(script, `/pinpoints/${second.id}`);
  });
});

describe('a request to undo many changes', () => {
  it.each([
    [{}, { non_field_errors: ['Enter a correlation or an application, and not both.'], dry_run: ['This field is required.'] }],
    [{ correlation: 'a', application: 'b', dry_run: true }, { non_field_errors: ['Enter a correlation or an application, and not both.'] }],
    [
      { application: 'b', dry_run: true },
      { from: ['This field is required.'], to: ['This field is required.'] },
    ],
    [
      { correlation: 'a', from: '2026-06-02T00:00:00.000Z', to: '2026-06-01T00:00:00.000Z', dry_run: true },
      { from: ['Enter a time that is not after the other one.'] },
    ],
    [
      { correlation: 7, dry_run: 'true' },
      { correlation: ['Not a valid string.'], dry_run: ['Must be a valid boolean.'] },
    ],
    [
      { correlation: 7, application: 'b', dry_run: true },
      { correlation: ['Not a valid string.'], non_field_errors: ['Enter a correlation or an application, and not both.'] },
    ],
    [
      { correlation: null, application: '', from: 'today', dry_run: true },
      {
        application: ['This field may not be blank.'],
        from: ['Datetime has wrong format. Use this format: YYYY-MM-DDThh:mm:ss.sssZ.'],
        to: ['This field is required.'],
      },
    ],
  ])('names a correlation, or an application and a span of time: 400 for %j', async (body, errors) => {
    const me = await editor();
    expect(bodyOf(await me.post('/audit/v1/undos', body), 400)).toEqual(errors);
  });

  it('with an Idempotency-Key starts one job, however often it is sent', async () => {
    const me = await editor();
    const script = operation(me);
    await script.create('/pinpoints', aPinpoint());
    const body = { correlation: script.correlation, dry_run: false };
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await startJob(me, body, headers);
    await endOf(me, first.id);
    expect(await startJob(me, body, headers)).toEqual(first);
    expect((await me.post('/audit/v1/undos', { ...body, dry_run: true }, headers)).status).toBe(422);
  });

  it.each(['audit', 'write'])('needs the scopes audit and write, also to read its job: 403 with %s', async (scope) => {
    const me = await editor();
    const { id } = await startJob(me, { correlation: 'a', dry_run: true });
    const other = await waymark.session(me.application, scope);
    expect((await other.post('/audit/v1/undos', { correlation: 'a', dry_run: true })).status).toBe(403);
    expect((await other.get(`/audit/v1/undos/${id}`)).status).toBe(403);
  });

  it.each([
    ['is suspended', 'POST', '/suspend', undefined, 'application-suspended'],
    ['is deleted', 'DELETE', '', undefined, 'application-deleted'],
    ['loses a scope', 'POST', '/scopes', { scopes: ['read', 'audit'] }, 'scope-lost'],
  ])('stops, and reports it, when its application %s', async (_, method, path, body, reason) => {
    const me = await editor();
    const witness = await waymark.session(await waymark.application(me.application.account, ['read', 'write', 'audit']));
    const script = operation(me);
    const made = await Promise.all(Array.from({ length: 600 }, () => script.create('/pinpoints', aPinpoint())));
    const { id } = await startJob(me, { correlation: script.correlation, dry_run: false });
    expect((await waymark.operator(method, `/applications/${me.application.client_id}${path}`, body)).status).toBeLessThan(300);
    const job: Job = await endOf(witness, id);
    expect(job).toMatchObject({ status: 'stopped', reason, report: { objects: made.length } });
    expect(job.progress.done).toBeLessThan(made.length);
    expect(await linesOf(witness, job)).toHaveLength(job.progress.done);
  });
});
