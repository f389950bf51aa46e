import { type Category, categoryDecider } from '@waymark/domain/category/decide.ts';
import type { AggregateTypes, Decider } from '@waymark/domain/decider.ts';
import { type Happening, happeningDecider } from '@waymark/domain/happening/decide.ts';
import { type List, listDecider } from '@waymark/domain/list/decide.ts';
import { type Pinpoint, pinpointDecider } from '@waymark/domain/pinpoint/decide.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Document } from '@waymark/read-models/read-models.ts';
import { categoryFields, categoryText } from '@waymark/read-models/representations/category.ts';
import { happeningFields, happeningText } from '@waymark/read-models/representations/happening.ts';
import { listFields, listText } from '@waymark/read-models/representations/list.ts';
import { pinpointFields, pinpointText } from '@waymark/read-models/representations/pinpoint.ts';

/** A kind of object with its decider. */
export type Aggregate<Of extends AggregateTypes> = {
  readonly kind: ResourceKind;
  readonly decider: Decider<Of>;
  /** Reads the state from a document. `members`: the known members, if the object is a list. */
  readonly stateOf: (document: Document, members: ReadonlySet<number>) => Of['state'];
  /** Returns the JSON text of an object in responses; empty if it is not present. */
  readonly textOf: (id: number, state: Of['state']) => string;
};

type Deleted = { readonly status: 'deleted'; readonly account: string };
const deleted = ({ account }: Document): Deleted => ({ status: 'deleted', account });

export const pinpoints: Aggregate<Pinpoint> = {
  kind: 'pinpoint',
  decider: pinpointDecider,
  stateOf: (document) =>
    document.present ? { status: 'present', account: document.account, fields: pinpointFields(document) } : deleted(document),
  textOf: (id, state) => (state.status === 'present' ? pinpointText(id, state.fields) : ''),
};

export const lists: Aggregate<List> = {
  kind: 'list',
  decider: listDecider,
  stateOf: (document, members) =>
    document.present
      ? { status: 'present', account: document.account, fields: listFields(document), members }
      : { ...deleted(document), members },
  textOf: (id, state) => (state.status === 'present' ? listText(id, state.fields) : ''),
};

export const categories: Aggregate<Category> = {
  kind: 'category',
  decider: categoryDecider,
  stateOf: (document) => ({ status: 'present', account: document.account, fields: categoryFields(document) }),
  textOf: (id, state) => (state.status === 'present' ? categoryText(id, state.fields) : ''),
};

export const happenings: Aggregate<Happening> = {
  kind: 'happening',
  decider: happeningDecider,
  stateOf: (document) =>
    document.present ? { status: 'present', account: document.account, fields: happeningFields(document) } : deleted(document),
  textOf: (id, state) => (state.status === 'present' ? happeningText(id, state.fields) : ''),
};
