import { categoryDecider } from '@waymark/domain/category/decide.ts';
import type { CategoryState } from '@waymark/domain/category/state.ts';
import type { Decider } from '@waymark/domain/decider.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { happeningDecider } from '@waymark/domain/happening/decide.ts';
import type { HappeningState } from '@waymark/domain/happening/state.ts';
import { listDecider } from '@waymark/domain/list/decide.ts';
import type { ListState } from '@waymark/domain/list/state.ts';
import { pinpointDecider } from '@waymark/domain/pinpoint/decide.ts';
import type { PinpointState } from '@waymark/domain/pinpoint/state.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Document } from '@waymark/read-models/read-models.ts';
import { categoryFields } from '@waymark/read-models/representations/category.ts';
import { happeningFields } from '@waymark/read-models/representations/happening.ts';
import { listFields } from '@waymark/read-models/representations/list.ts';
import { pinpointFields } from '@waymark/read-models/representations/pinpoint.ts';

/** A kind of object with its decider, and with the function that reads its state from a document. */
export type Aggregate<State, Command, Event extends DomainEvent, Refusal extends string> = {
  readonly kind: ResourceKind;
  readonly decider: Decider<State, Command, Event, Refusal>;
  readonly stateOf: (document: Document) => State;
};

type Deleted = { readonly status: 'deleted'; readonly account: string };
const deleted = ({ account }: Document): Deleted => ({ status: 'deleted', account });

const pinpointState = (document: Document): PinpointState =>
  document.present ? { status: 'present', account: document.account, fields: pinpointFields(document) } : deleted(document);

/** Returns a list without members; the caller adds the members that it knows. */
const listState = (document: Document): ListState =>
  document.present ? { status: 'present', account: document.account, fields: listFields(document), members: new Set() } : deleted(document);

const categoryState = (document: Document): CategoryState => ({
  status: 'present',
  account: document.account,
  fields: categoryFields(document),
});

const happeningState = (document: Document): HappeningState =>
  document.present ? { status: 'present', account: document.account, fields: happeningFields(document) } : deleted(document);

export const pinpoints = { kind: 'pinpoint', decider: pinpointDecider, stateOf: pinpointState } as const;
export const lists = { kind: 'list', decider: listDecider, stateOf: listState } as const;
export const categories = { kind: 'category', decider: categoryDecider, stateOf: categoryState } as const;
export const happenings = { kind: 'happening', decider: happeningDecider, stateOf: happeningState } as const;
