import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unknownId } from '../api/samples.ts';
import type { Run } from './recorded.ts';

export type Credentials = {
  readonly client_id: string;
  readonly client_secret: string;
  readonly secret_id: string;
  readonly account: string;
};

export type Applications = {
  readonly editor: Credentials;
  /** Has the scope `audit`, too. */
  readonly auditor: Credentials;
};

/** Creates applications in each state: one that edits, one that is suspended, and one that is deleted. */
export const administer = async (run: Run): Promise<Applications> => {
  const create = (account: string, name: string, ...scopes: string[]): Promise<Credentials> =>
    run('app', 'create', '--account', account, '--name', name, ...scopes);
  const editor = await create('acme', 'editor');
  const auditor = await create('acme', 'auditor', '--scopes', 'read,write,audit');
  const reader = await create('other', 'reader', '--scopes', 'read');
  const former = await create('acme', 'former');
  const { secret_id: second } = await run<Credentials>('app', 'rotate', editor.client_id);
  await run('app', 'drop-secret', editor.client_id, second);
  for (const order of ['suspend', 'resume', 'suspend']) await run('app', order, reader.client_id);
  await run('app', 'scopes', reader.client_id, 'read', 'audit', '--by', 'clerk-3');
  await run('app', 'delete', former.client_id);
  await run('forget', 'application', former.client_id, '--account', 'acme');
  await run('app', 'list', '--all');
  return { editor, auditor };
};

/** Loads a file of two rows, one of which is refused. Undoes the load after a dry run. */
export const load = async (run: Run, directory: string): Promise<void> => {
  const rows = join(directory, 'rows.ndjson');
  writeFileSync(rows, ['{"name":"Loaded","latitude":1,"longitude":2}', '{"name":"Nowhere"}'].join('\n'));
  const report = join(directory, 'refused.ndjson');
  const loaded = await run<{ readonly correlation: string } | undefined>('load', rows, '--account', 'acme', '--report', report);
  // Nothing was loaded where commands cannot reach the public URL.
  if (loaded === undefined) return;
  for (const options of [[], ['--run']]) await run('undo', loaded.correlation, '--account', 'acme', ...options);
};

/** The ids of one object of each kind; `deleted`: of a deleted pinpoint. */
export type ObjectIds = Readonly<Record<'category' | 'pinpoint' | 'deleted' | 'list' | 'event', number>>;

/** Erases one object of each kind, one that is deleted, one that does not exist, and one that is on hold first. */
export const erase = async (run: Run, { pinpoint, deleted, list, category, event }: ObjectIds): Promise<void> => {
  const erased = { pinpoint, list, category, event };
  for (const [kind, id] of [...Object.entries(erased), ['pinpoint', deleted], ['list', unknownId]] as const)
    await run('forget', kind, `${id}`, '--account', 'acme');
  const order = ['pinpoint', `${pinpoint}`, '--account', 'acme', '--by', 'clerk-3', '--reason', 'legal-dispute', '--case', 'case-7'];
  for (const command of ['hold', 'forget', 'release', 'forget']) await run(command, ...order);
};

/** Runs the operator commands that both forms have. */
export const operate = async (run: Run): Promise<void> => {
  await run('status');
  await run('media', 'prune');
  await run('rebuild');
  await run('verify');
  await run('writes', 'close');
  await run('renew');
  await run('writes', 'open');
};

/** Runs the commands that move a standalone installation to another place. */
export const moveOut = async (run: Run, directory: string): Promise<void> => {
  await run('backup', join(directory, 'backup'));
  await run('export', join(directory, 'export'));
  await run('export', join(directory, 'export'), '--final');
};
