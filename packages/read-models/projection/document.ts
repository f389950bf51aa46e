import type { CategoryFields } from '@waymark/domain/category/events.ts';
import type { StoredFile } from '@waymark/domain/fields.ts';
import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import type { ListFields } from '@waymark/domain/list/events.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { categoryFields, categoryText } from '../representations/category.ts';
import { fileText, type Prepared } from '../representations/files.ts';
import { happeningFields, happeningText } from '../representations/happening.ts';
import { listFields, listText } from '../representations/list.ts';
import { pinpointFields, pinpointText } from '../representations/pinpoint.ts';
import type { Change, Fact, Lookup, Membership, Put } from './change.ts';

/** Turns the fields of a kind into a prepared text, and reads them back from it. */
export type View<Fields> = {
  readonly kind: ResourceKind;
  readonly text: (id: number, fields: Fields) => string;
  readonly file: (fields: Fields) => StoredFile | null;
  readonly fields: (prepared: Prepared) => Fields;
};

export const pinpoints: View<PinpointFields> = {
  kind: 'pinpoint',
  text: pinpointText,
  file: (fields) => fields.media,
  fields: pinpointFields,
};

export const lists: View<ListFields> = { kind: 'list', text: listText, file: () => null, fields: listFields };

export const categories: View<CategoryFields> = {
  kind: 'category',
  text: categoryText,
  file: (fields) => fields.image,
  fields: categoryFields,
};

export const happenings: View<HappeningFields> = {
  kind: 'happening',
  text: happeningText,
  file: (fields) => fields.media,
  fields: happeningFields,
};

/** Creates a document without a lookup, because an id is never used twice. `pinpoint`: the place of a happening. */
export const created = <Fields>(
  view: View<Fields>,
  id: number,
  fields: Fields,
  { account, revision }: Fact,
  pinpoint: number | null = null,
): Put => ({
  type: 'put',
  kind: view.kind,
  document: {
    id,
    account,
    revision,
    shown: true,
    present: true,
    text: view.text(id, fields),
    file: fileText(view.file(fields)),
    pinpoint,
  },
  before: undefined,
});

export const edited = <Fields>(
  view: View<Fields>,
  id: number,
  changed: Partial<Fields>,
  { revision }: Fact,
  lookup: Lookup,
  place?: Membership,
): Change => {
  const before = lookup.document(view.kind, id);
  if (!before?.present) return { type: 'moved', kind: view.kind, id, revision };
  const fields = { ...view.fields(before), ...changed };
  const prepared = { text: view.text(id, fields), file: fileText(view.file(fields)) };
  return { type: 'put', kind: view.kind, document: { ...before, ...place, ...prepared, revision }, before };
};

/** Sets all fields of a document, and makes it present if it was deleted. `place`: the place of a happening. */
export const restored = <Fields>(
  view: View<Fields>,
  id: number,
  fields: Fields,
  { revision }: Fact,
  lookup: Lookup,
  place?: Membership,
): Change => {
  const before = lookup.document(view.kind, id);
  if (!before) return { type: 'moved', kind: view.kind, id, revision };
  const state = { revision, shown: place?.shown ?? true, present: true, pinpoint: place?.pinpoint ?? null };
  const document = { ...before, ...state, text: view.text(id, fields), file: fileText(view.file(fields)) };
  return { type: 'put', kind: view.kind, document, before };
};

/** Deletes a document. Its row is kept, for its account and for the rows that refer to it; its text is removed. */
export const deleted = (kind: ResourceKind, id: number, { revision }: Fact, lookup: Lookup): Change => {
  const before = lookup.document(kind, id);
  if (!before?.present) return { type: 'moved', kind, id, revision };
  const document = { ...before, revision, shown: false, present: false, text: '', file: null };
  return { type: 'put', kind, document, before };
};

/** Sets an object's state, which an event states again after all earlier events were erased. Without fields, the object is deleted. Its row
 * may be unchanged, or computed from erased events. `place`: the place of a happening. */
export const restateDocument = <Fields>(
  view: View<Fields>,
  id: number,
  fields: Fields | null,
  fact: Fact,
  lookup: Lookup,
  place?: Membership,
): Put => {
  const before = lookup.document(view.kind, id);
  const { account, revision } = fact;
  const pinpoint = place?.pinpoint ?? null;
  const shown = place?.shown ?? true;
  const document =
    fields === null
      ? { id, account, revision, shown: false, present: false, text: '', file: null, pinpoint }
      : { id, account, revision, shown, present: true, text: view.text(id, fields), file: fileText(view.file(fields)), pinpoint };
  return { type: 'put', kind: view.kind, document, before };
};
