import { type CategoryState, evolve as evolveCategory } from '@waymark/domain/category/state.ts';
import type { DomainEvent } from '@waymark/domain/event.ts';
import { evolve as evolveHappening, type HappeningState } from '@waymark/domain/happening/state.ts';
import { evolve as evolveList, type ListState } from '@waymark/domain/list/state.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { evolve as evolvePinpoint, type PinpointState } from '@waymark/domain/pinpoint/state.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import { categoryText } from '../representations/category.ts';
import { happeningText } from '../representations/happening.ts';
import { listText } from '../representations/list.ts';
import { pinpointText } from '../representations/pinpoint.ts';

/** The state of every object as the domain computes it. It determines the content of the read models without any projection. */
export type ExpectedState = {
  readonly pinpoint: Map<number, PinpointState>;
  readonly list: Map<number, ListState>;
  readonly category: Map<number, CategoryState>;
  readonly happening: Map<number, HappeningState>;
};

export const emptyState = (): ExpectedState => ({
  pinpoint: new Map(),
  list: new Map(),
  category: new Map(),
  happening: new Map(),
});

export const applyEvent = (setup: ExpectedState, event: DomainEvent): void => {
  switch (event.type) {
    case 'PinpointCreated':
    case 'PinpointEdited':
    case 'PinpointDeleted':
    case 'PinpointRestored':
    case 'PinpointRedacted':
      evolveIn(setup.pinpoint, event.pinpoint, { status: 'absent' }, (state) => evolvePinpoint(state, event));
      return;
    case 'ListCreated':
    case 'ListEdited':
    case 'ListDeleted':
    case 'ListRestored':
    case 'ListMembersRestated':
    case 'ListRedacted':
    case 'PinpointsAdded':
    case 'PinpointsRemoved':
      evolveIn(setup.list, event.list, { status: 'absent' }, (state) => evolveList(state, event));
      return;
    case 'CategoryCreated':
    case 'CategoryEdited':
    case 'CategoryRedacted':
      evolveIn(setup.category, event.category, { status: 'absent' }, (state) => evolveCategory(state, event));
      return;
    case 'HappeningCreated':
    case 'HappeningEdited':
    case 'HappeningDeleted':
    case 'HappeningRestored':
    case 'HappeningRedacted':
      evolveIn(setup.happening, event.happening, { status: 'absent' }, (state) => evolveHappening(state, event));
      return;
    case 'ApplicationRegistered':
    case 'SecretAdded':
    case 'SecretDropped':
    case 'ApplicationSuspended':
    case 'ApplicationResumed':
    case 'ApplicationDeleted':
    case 'ApplicationScopesChanged':
    case 'ApplicationRedacted':
    case 'AccountOpened':
    case 'ChangesetOpened':
    case 'ChangesetRedacted':
    case 'ErasureOrdered':
    case 'HoldPlaced':
    case 'HoldReleased':
    case 'UndoStarted':
    case 'UndoReported':
    case 'UndoEnded':
  }
};

const evolveIn = <State>(states: Map<number, State>, id: number, initial: State, evolve: (state: State) => State): void => {
  states.set(id, evolve(states.get(id) ?? initial));
};

type Item = { readonly id: number; readonly text: string };

/** Returns the items that a walk over a query's pages must find, in order. */
export const expected = (setup: ExpectedState, { kind, account, within }: Pick<PageQuery, 'kind' | 'account' | 'within'>): Item[] => {
  if (within === null) return shown(setup, kind, account);
  if (kind === 'pinpoint') {
    const list = setup.list.get(within);
    if (list?.status !== 'present' || list.account !== account) return [];
    return shown(setup, kind, account).filter(({ id }) => list.members.has(id));
  }
  return shown(setup, kind, account).filter(({ id }) => {
    const state = setup.happening.get(id);
    return state?.status === 'present' && state.fields.pinpoint === within;
  });
};

const shown = (setup: ExpectedState, kind: ResourceKind, account: string): Item[] => {
  const items: Item[] = [];
  for (const id of [...setup[kind].keys()].sort((one, other) => one - other)) {
    const text = texts[kind](setup, id, account);
    if (text !== undefined) items.push({ id, text });
  }
  return items;
};

type Text = (setup: ExpectedState, id: number, account: string) => string | undefined;

const pinpoint: Text = (setup, id, account) => {
  const state = setup.pinpoint.get(id);
  return state?.status === 'present' && state.account === account ? pinpointText(id, state.fields) : undefined;
};

const list: Text = (setup, id, account) => {
  const state = setup.list.get(id);
  return state?.status === 'present' && state.account === account ? listText(id, state.fields) : undefined;
};

const category: Text = (setup, id, account) => {
  const state = setup.category.get(id);
  return state?.status === 'present' && state.account === account ? categoryText(id, state.fields) : undefined;
};

const happening: Text = (setup, id, account) => {
  const state = setup.happening.get(id);
  if (state?.status !== 'present' || state.account !== account) return undefined;
  return pinpoint(setup, state.fields.pinpoint, account) && happeningText(id, state.fields);
};

const texts: Record<ResourceKind, Text> = { pinpoint, list, category, happening };
