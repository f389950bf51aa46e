import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { anyCharacter } from '@waymark/domain/testing/characters.ts';
import { sampleEvents, sampleFile } from '@waymark/domain/testing/samples.ts';
import fc from 'fast-check';
import { applyEvent, type ExpectedState, emptyState } from './expected-state.ts';
import { recorder } from './recorder.ts';

export const accounts = ['account-a', 'account-b'] as const;

const actions = [
  'create-pinpoint',
  'edit-pinpoint',
  'delete-pinpoint',
  'create-list',
  'edit-list',
  'delete-list',
  'add',
  'remove',
  'create-category',
  'edit-category',
  'create-happening',
  'edit-happening',
  'move-happening',
  'delete-happening',
  'restore-pinpoint',
  'restore-list',
  'restore-happening',
  'erase',
  'housekeeping',
] as const;

/** An attempted action; `one` and `other` choose among the ids given out so far. */
type Step = {
  readonly action: (typeof actions)[number];
  readonly account: number;
  readonly one: number;
  readonly other: number;
  readonly some: readonly number[];
  readonly text: string;
};

const pick = fc.nat({ max: 1_000_000 });

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions, 'create-pinpoint', 'create-happening', 'add', 'add'),
  account: fc.nat({ max: accounts.length - 1 }),
  one: pick,
  other: pick,
  some: fc.array(pick, { minLength: 1, maxLength: 5 }),
  text: fc.string({ unit: anyCharacter, maxLength: 12 }),
});

export type History = { readonly events: readonly RecordedEvent[]; readonly setup: ExpectedState };

/** Generates histories that the deciders could have allowed, races included: a member or happening may be added to a pinpoint that was just
 * deleted, is unknown, or is another account's. `apart`: no account refers to another account's objects, so that the order between accounts
 * does not matter. */
export const histories = ({ apart = false, ...steps }: { minLength?: number; maxLength: number; apart?: boolean }): fc.Arbitrary<History> =>
  fc.array(step, { size: 'max', ...steps }).map((all) => historyOf(all, apart));

const historyOf = (steps: readonly Step[], apart: boolean): History => {
  const setup = emptyState();
  const { record, erased, housekeeping } = recorder();
  const events = steps.flatMap((step): RecordedEvent[] => {
    if (step.action === 'housekeeping') return [housekeeping()];
    const act = actOf(setup, step);
    if (!act || (apart && namesAnothers(setup, act))) return [];
    if (step.action === 'erase') return [erased(act.account, act.event)];
    applyEvent(setup, act.event);
    return [record(act.account, act.event)];
  });
  return { events, setup };
};

type Act = { readonly account: string; readonly event: DomainEvent };

const namesAnothers = (setup: ExpectedState, { account, event }: Act): boolean =>
  pinpointsNamed(event).some((id) => {
    const state = setup.pinpoint.get(id);
    return state !== undefined && state.status !== 'absent' && state.account !== account;
  });

const pinpointsNamed = (event: DomainEvent): readonly number[] => {
  if (event.type === 'PinpointsAdded') return event.pinpoints;
  if (event.type === 'HappeningCreated' || event.type === 'HappeningRestored') return [event.fields.pinpoint];
  return event.type === 'HappeningEdited' && event.fields.pinpoint !== undefined ? [event.fields.pinpoint] : [];
};

const actOf = (setup: ExpectedState, step: Step): Act | undefined => {
  switch (step.action) {
    case 'create-pinpoint':
    case 'create-list':
    case 'create-category':
    case 'create-happening':
      return creation(setup, step);
    case 'edit-pinpoint':
    case 'delete-pinpoint':
    case 'erase':
      return pinpointChange(setup, step);
    case 'edit-list':
    case 'delete-list':
    case 'add':
    case 'remove':
      return listChange(setup, step);
    case 'edit-category': {
      const [category, state] = present(setup.category, step.one);
      return state && { account: state.account, event: { type: 'CategoryEdited', category, fields: { name: step.text } } };
    }
    case 'edit-happening':
    case 'move-happening':
    case 'delete-happening':
      return happeningChange(setup, step);
    case 'restore-pinpoint':
    case 'restore-list':
    case 'restore-happening':
      return restoration(setup, step);
    case 'housekeeping':
      return undefined;
  }
};

const creation = (setup: ExpectedState, { action, account: index, other, text }: Step): Act | undefined => {
  const account = accounts[index] ?? accounts[0];
  const media = other % 2 === 0 ? sampleFile : null;
  if (action === 'create-pinpoint') {
    const fields = { ...sampleEvents.PinpointCreated.fields, name: text, media };
    return { account, event: { type: 'PinpointCreated', account, pinpoint: setup.pinpoint.size + 1, fields } };
  }
  if (action === 'create-list') {
    const fields = { name: text, description: '' };
    return { account, event: { type: 'ListCreated', account, list: setup.list.size + 1, fields } };
  }
  if (action === 'create-category') {
    const fields = { name: text, image: sampleFile };
    return { account, event: { type: 'CategoryCreated', account, category: setup.category.size + 1, fields } };
  }
  if (setup.pinpoint.size === 0) return undefined;
  const fields = { ...sampleEvents.HappeningCreated.fields, name: text, media, pinpoint: known(setup.pinpoint, other) };
  return { account, event: { type: 'HappeningCreated', account, happening: setup.happening.size + 1, fields } };
};

const pinpointChange = (setup: ExpectedState, { action, one, other, text }: Step): Act | undefined => {
  const [pinpoint, state] = present(setup.pinpoint, one);
  if (!state) return undefined;
  const { account } = state;
  if (action === 'delete-pinpoint') return { account, event: { type: 'PinpointDeleted', pinpoint } };
  const [latitude, longitude] = [other % 90, other % 180];
  const edits = [{ description: text, media: null }, { latitude }, { longitude }, { latitude, longitude, name: text }];
  return { account, event: { type: 'PinpointEdited', pinpoint, fields: edits[other % edits.length] ?? {} } };
};

const listChange = (setup: ExpectedState, { action, one, some, text }: Step): Act | undefined => {
  const [list, state] = present(setup.list, one);
  if (!state) return undefined;
  const { account, members } = state;
  if (action === 'delete-list') return { account, event: { type: 'ListDeleted', list } };
  if (action === 'edit-list') return { account, event: { type: 'ListEdited', list, fields: { name: text } } };
  if (setup.pinpoint.size === 0) return undefined;
  const asked = [...new Set(some.map((number) => known(setup.pinpoint, number)))];
  const pinpoints = asked.filter((pinpoint) => members.has(pinpoint) === (action === 'remove'));
  if (pinpoints.length === 0) return undefined;
  if (action === 'remove') return { account, event: { type: 'PinpointsRemoved', list, pinpoints } };
  return { account, event: { type: 'PinpointsAdded', list, pinpoints, notAdded: [] } };
};

const happeningChange = (setup: ExpectedState, { action, one, other, text }: Step): Act | undefined => {
  const [happening, state] = present(setup.happening, one);
  if (!state) return undefined;
  const { account } = state;
  if (action === 'delete-happening') return { account, event: { type: 'HappeningDeleted', happening } };
  const fields = action === 'edit-happening' ? { tags: [text] } : { pinpoint: known(setup.pinpoint, other) };
  return { account, event: { type: 'HappeningEdited', happening, fields } };
};

/** Restores an object, whether it is deleted or not. */
const restoration = (setup: ExpectedState, { action, one, other, text }: Step): Act | undefined => {
  if (action === 'restore-pinpoint') {
    const [pinpoint, account] = owned(setup.pinpoint, one);
    return account === undefined
      ? undefined
      : { account, event: { ...sampleEvents.PinpointRestored, pinpoint, fields: { ...samplePinpoint, name: text } } };
  }
  if (action === 'restore-list') {
    const [list, account] = owned(setup.list, one);
    return account === undefined
      ? undefined
      : { account, event: { type: 'ListRestored', list, fields: { name: text, description: text } } };
  }
  const [happening, account] = owned(setup.happening, one);
  if (account === undefined) return undefined;
  const fields = { ...sampleEvents.HappeningRestored.fields, name: text, pinpoint: known(setup.pinpoint, other) };
  return { account, event: { type: 'HappeningRestored', happening, fields } };
};

const samplePinpoint = sampleEvents.PinpointRestored.fields;

type Owned = { readonly status: string; readonly account?: string };

/** Returns the id and the account of an object, deleted or not. */
const owned = (states: ReadonlyMap<number, Owned>, number: number): readonly [number, string | undefined] => {
  const id = states.size === 0 ? 0 : known(states, number);
  return [id, states.get(id)?.account];
};

/** Returns an id that was given out, deleted or not. */
const known = (states: ReadonlyMap<number, unknown>, number: number): number => 1 + (number % states.size);

const present = <State extends { readonly status: string }>(states: ReadonlyMap<number, State>, number: number) => {
  const id = states.size === 0 ? 0 : known(states, number);
  const state = states.get(id);
  return [id, state?.status === 'present' ? (state as Extract<State, { status: 'present' }>) : undefined] as const;
};
