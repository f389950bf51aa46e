import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { FindOptions } from 'mongodb';
import { type ApplicationRow, type Collections, type DocumentRow, type MemberRow, marker } from './collections.ts';

/** A row in the form that is compared and hashed. Equal content has equal rows on every engine. */
export type Row = readonly [kind: RowKind, ...columns: unknown[]];
export type RowKind = ResourceKind | 'member' | 'application';

/** The kinds in the order of the rows. */
export const rowKinds: readonly RowKind[] = [...resourceKinds, 'member', 'application'];

export type At = FindOptions & { readonly signal: AbortSignal };

/** Returns the rows of read models as a digest reads them. */
export const digestedRows = (collections: Collections) => ({
  position: collections.position,
  rows: (at: At): AsyncGenerator<Row> => rowsOf(collections, at),
});

/** Yields every row, kind by kind, in the order of the ids. */
export async function* rowsOf(collections: Collections, at: At): AsyncGenerator<Row> {
  for (const kind of resourceKinds) {
    const all = collections[kind].find({ _id: { $gt: marker.number } }, { ...at, sort: { _id: 1 } });
    for await (const it of all) yield documentRow(kind, it);
  }
  const { member, application } = collections;
  const members = member.find({ pinpoint: { $gt: marker.number } }, { ...at, sort: { pinpoint: 1, list: 1 } });
  for await (const it of members) yield memberRow(it);
  const applications = application.find({ _id: { $gt: marker.text } }, { ...at, sort: { _id: 1 } });
  for await (const it of applications) yield applicationRow(it);
}

export const documentRow = (kind: ResourceKind, it: DocumentRow): Row => {
  const { _id, account, revision, shown, present, pinpoint, lists, happenings, file, text } = it;
  return [kind, _id, account, revision, Number(shown), Number(present), pinpoint, lists, happenings, file, text];
};

export const memberRow = ({ pinpoint, list, shown }: MemberRow): Row => ['member', pinpoint, list, Number(shown)];

export const applicationRow = ({ _id, document }: ApplicationRow): Row => ['application', _id, document];
