import { randomUUID } from 'node:crypto';
import type { Answer } from '../api/client.ts';
import { aList, anEvent, aPinpoint, members } from '../api/samples.ts';
import { type ClientCall, callWith, creating, keyed, takeToken } from './clients.ts';
import type { Applications } from './operators.ts';
import type { Recording } from './recorded.ts';

/** The requests of two applications, one of which has the scope `audit`. */
export type Calls = {
  /** Edits. */
  readonly edit: ClientCall;
  /** Edits as the other application does. */
  readonly load: ClientCall;
  /** Sends requests to `/audit/v1`. */
  readonly audit: ClientCall;
  /** Returns an undo job that is over. */
  readonly endOf: (id: string) => Promise<Answer>;
};

export const openCalls = async ({ send, sendUntil }: Recording, edit: ClientCall, { auditor }: Applications): Promise<Calls> => {
  const token = await takeToken(send, auditor);
  const isOver = ({ body }: Answer): boolean => (body as { readonly status: string }).status !== 'running';
  return {
    edit,
    load: callWith(send, token, '/v3.0'),
    audit: callWith(send, token, '/audit/v1'),
    endOf: (id) => callWith((call) => sendUntil(call, isOver), token, '/audit/v1')('GET', `/undos/${id}`),
  };
};

/** Undoes and restores single changes: of fields, and of whether an object is present. Repeats what cannot be done twice. */
export const undoChanges = async ({ edit, audit }: Calls): Promise<void> => {
  const made = creating(edit);
  const pinpoint = await made('POST', '/pinpoints', aPinpoint({ name: 'To be undone' }));
  const list = await made('POST', '/lists', aList({ name: 'To be undone' }));
  const event = await made('POST', '/events', anEvent(pinpoint, { name: 'To be undone' }));
  await edit('PUT', `/pinpoints/${pinpoint}`, aPinpoint({ name: 'Wrong' }));
  for (const key of ['undo', 'undo', 'undo-again']) await audit('POST', `/pinpoints/${pinpoint}/undo`, { revision: 1 }, keyed(key));
  for (const revision of [0, 99, 'x']) await audit('POST', `/pinpoints/${pinpoint}/restore`, { revision });
  for (const path of [`/events/${event}`, `/lists/${list}`]) {
    await edit('DELETE', path);
    await audit('POST', `${path}/undo`, { revision: 1 });
  }
  await edit('DELETE', `/pinpoints/${pinpoint}`);
  await audit('POST', `/pinpoints/${pinpoint}/restore`, { revision: 0 });
};

/** Makes all kinds of changes with one correlation. Another application changes some of them afterwards.
 * @returns the correlation */
const importRows = async ({ edit, load }: Calls): Promise<string> => {
  const correlation = randomUUID();
  const headers = { 'Correlation-Id': correlation };
  const list = await creating(edit)('POST', '/lists', aList({ name: 'Of an import' }));
  const edited = await creating(edit)('POST', '/pinpoints', aPinpoint({ name: 'Before the import' }));
  const made = creating(load);
  await made('POST', '/pinpoints', aPinpoint({ name: 'Row 1' }), headers);
  const corrected = await made('POST', '/pinpoints', aPinpoint({ name: 'Row 2' }), headers);
  await made('POST', '/events', anEvent(edited, { name: 'Row 3' }), headers);
  await load('PUT', `/pinpoints/${edited}`, aPinpoint({ name: 'Row 4', address: 'Row 4' }), headers);
  await load('POST', `/lists/${list}/pinpoints`, members(edited, corrected), headers);
  await edit('PUT', `/pinpoints/${corrected}`, aPinpoint({ name: 'Corrected' }));
  await edit('PUT', `/pinpoints/${edited}`, aPinpoint({ name: 'Corrected', address: 'Row 4' }));
  return correlation;
};

type Job = { readonly id: string; readonly report: { readonly first: string; readonly last: string } };

/** Undoes everything that a correlation did, and everything that an application did in a span of time, with and without a dry run. */
export const undoImport = async (calls: Calls, { auditor }: Applications): Promise<void> => {
  const { audit, endOf } = calls;
  const correlation = await importRows(calls);
  const start = async (body: object): Promise<string> =>
    ((await audit('POST', '/undos', body, keyed(JSON.stringify(body)))).body as Job).id;
  const ended = async (body: object): Promise<Job> => (await endOf(await start(body))).body as Job;
  const dryRun = { correlation, dry_run: true };
  const { report } = await ended(dryRun);
  await start(dryRun);
  await ended({ application: auditor.client_id, from: report.first, to: report.last, dry_run: true });
  const { id } = await ended({ correlation, dry_run: false });
  for (const other of [id, 'without-changes']) await ended({ correlation: other, dry_run: true });
  for (const path of [`/undos/${id}?page=2`, `/undos/${randomUUID()}`, '/undos/x']) await audit('GET', path);
  for (const body of [
    {},
    { correlation, application: auditor.client_id, dry_run: true },
    { application: auditor.client_id, dry_run: true },
  ])
    await audit('POST', '/undos', body);
};
