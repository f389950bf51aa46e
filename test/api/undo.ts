import { historyOf } from './history.ts';
import { type Fields, members } from './samples.ts';
import { bodyOf, idsOf, type Session, type Thing } from './session.ts';
import type { Target } from './target.ts';

export type Report = {
  readonly object: { readonly kind: string; readonly id: number };
  readonly outcome: string;
  readonly event: string | null;
  readonly revision: number | null;
  readonly reason: string | null;
  readonly fields: readonly string[];
  readonly pinpoints: readonly number[];
};
type Kept = { readonly detail: string; readonly report: Report };

export const order = (me: Session, what: 'restore' | 'undo', kind: string, id: number, revision: unknown, headers = {}) =>
  me.post(`/audit/v1/${kind}/${id}/${what}`, { revision }, headers);
export const undo = async (me: Session, kind: string, id: number, revision: number): Promise<Report> =>
  bodyOf<Report>(await order(me, 'undo', kind, id, revision), 200);
export const restore = async (me: Session, kind: string, id: number, revision: number): Promise<Report> =>
  bodyOf<Report>(await order(me, 'restore', kind, id, revision), 200);
/** Returns the report on what was kept, after checking that nothing was changed. */
export const kept = async (me: Session, what: 'restore' | 'undo', kind: string, id: number, revision: number) => {
  const before = await historyOf(me, kind, id);
  const { report } = bodyOf<Kept>(await order(me, what, kind, id, revision), 409);
  expect(await historyOf(me, kind, id)).toEqual(before);
  expect(report).toMatchObject({ object: { kind, id }, outcome: 'kept', event: null, revision: null });
  const { reason, fields, pinpoints } = report;
  return { reason, ...(fields.length > 0 ? { fields } : {}), ...(pinpoints.length > 0 ? { pinpoints } : {}) };
};

export const edit = async (me: Session, kind: string, id: number, fields: Fields): Promise<Thing> =>
  bodyOf<Thing>(await me.put(`/${kind}/${id}`, fields), 200);
export const remove = async (me: Session, path: string): Promise<void> => expect((await me.delete(path)).status).toBe(204);
export const add = async (me: Session, list: number, ...ids: number[]) =>
  bodyOf(await me.post(`/lists/${list}/pinpoints`, members(...ids)), 200);
export const take = async (me: Session, list: number, ...ids: number[]) =>
  bodyOf(await me.delete(`/lists/${list}/pinpoints`, members(...ids)), 200);
export const membersOf = async (me: Session, list: number): Promise<readonly number[]> => idsOf(await me.page(`/pinpoints?list=${list}`));
export const eventsAt = async (me: Session, pinpoint: number): Promise<readonly number[]> =>
  idsOf(await me.page(`/events?pinpoint=${pinpoint}`));
export const forget = async (waymark: Target, me: Session, kind: string, id: number): Promise<void> =>
  void bodyOf(await waymark.operator('POST', '/forget', { kind, id, account: me.application.account }), 200);
