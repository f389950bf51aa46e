import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { isHistory } from '@waymark/domain/streams.ts';

/** A line of a history, as a test expects it: the id of the event, and what it did. */
export type ExpectedLine = { readonly id: string; readonly action: string };

type State = { readonly account: string; present: boolean };
type ListState = State & { readonly members: Set<number> };
type HappeningState = State & { place: number };

/** Returns the lines of every object's history, oldest first: a fold that shares no code with the projection. */
export const expectedLines = (events: readonly RecordedEvent[]): ReadonlyMap<string, readonly ExpectedLine[]> => {
  const lines = new Map<string, ExpectedLine[]>();
  const pinpoints = new Map<number, State>();
  const lists = new Map<number, ListState>();
  const happenings = new Map<number, HappeningState>();
  const add = (stream: string, { envelope: { id } }: RecordedEvent, action: string): void => {
    lines.set(stream, [...(lines.get(stream) ?? []), { id, action }]);
  };
  for (const event of events.filter(({ stream }) => isHistory(stream))) {
    add(event.stream, event, ownActionOf(event.envelope.type));
    apply(event, decode(event), { pinpoints, lists, happenings }, (stream, action) => add(stream, event, action));
  }
  return lines;
};

type World = {
  readonly pinpoints: Map<number, State>;
  readonly lists: Map<number, ListState>;
  readonly happenings: Map<number, HappeningState>;
};

const ownActionOf = (type: string): string => {
  if (type === 'PinpointsAdded') return 'members_added';
  if (type === 'PinpointsRemoved') return 'members_removed';
  return (/(Created|Edited|Deleted|Restored)$/.exec(type)?.[0] ?? type).toLowerCase();
};

type Tell = (stream: string, action: string) => void;

/** Changes the world by an event, and tells the other objects that the event changed. It is long because it lists every type. */
const apply = (recorded: RecordedEvent, event: DomainEvent | undefined, world: World, tell: Tell): void => {
  const { pinpoints, lists, happenings } = world;
  const { account } = recorded.envelope;
  const isShown = (pinpoint: number): boolean => pinpoints.get(pinpoint)?.present === true && pinpoints.get(pinpoint)?.account === account;
  const isOwn = (pinpoint: number): boolean => pinpoints.get(pinpoint)?.account === account;
  const stays = (pinpoint: number): number[] =>
    [...happenings]
      .filter(([, it]) => it.present && it.place === pinpoint && it.account === pinpoints.get(pinpoint)?.account)
      .map(([id]) => id);
  const setPinpoint = (pinpoint: number, present: boolean): void => {
    const state = pinpoints.get(pinpoint);
    if (state === undefined || state.present === present) return;
    state.present = present;
    for (const [list, { members, account: owner }] of lists) {
      if (members.has(pinpoint) && owner === state.account) tell(`list-${list}`, present ? 'member_restored' : 'member_deleted');
    }
    for (const happening of stays(pinpoint)) tell(`happening-${happening}`, present ? 'pinpoint_restored' : 'pinpoint_deleted');
  };
  const setList = (list: number, present: boolean): void => {
    const state = lists.get(list);
    if (state === undefined || state.present === present) return;
    state.present = present;
    for (const pinpoint of state.members) if (isShown(pinpoint)) tell(`pinpoint-${pinpoint}`, present ? 'list_restored' : 'list_deleted');
  };
  const setPlace = (happening: number, place: number | undefined): void => {
    const state = happenings.get(happening);
    if (state === undefined) return;
    const [before, after] = [state.present ? state.place : undefined, place];
    if (before !== after) {
      if (before !== undefined && isOwn(before)) tell(`pinpoint-${before}`, 'event_removed');
      if (after !== undefined && isOwn(after)) tell(`pinpoint-${after}`, 'event_added');
    }
    state.present = place !== undefined;
    state.place = place ?? state.place;
  };
  switch (event?.type) {
    case 'PinpointCreated':
      pinpoints.set(event.pinpoint, { account, present: true });
      break;
    case 'ListCreated':
      lists.set(event.list, { account, present: true, members: new Set() });
      break;
    case 'HappeningCreated':
      happenings.set(event.happening, { account, present: false, place: 0 });
      setPlace(event.happening, event.fields.pinpoint);
      break;
    case 'PinpointDeleted':
    case 'PinpointRestored':
      setPinpoint(event.pinpoint, event.type === 'PinpointRestored');
      break;
    case 'ListDeleted':
    case 'ListRestored':
      setList(event.list, event.type === 'ListRestored');
      break;
    case 'HappeningDeleted':
      setPlace(event.happening, undefined);
      break;
    case 'HappeningRestored':
      setPlace(event.happening, event.fields.pinpoint);
      break;
    case 'HappeningEdited':
      if (event.fields.pinpoint !== undefined && happenings.get(event.happening)?.present) setPlace(event.happening, event.fields.pinpoint);
      break;
    case 'PinpointsAdded':
      for (const pinpoint of event.pinpoints) {
        if (!lists.get(event.list)?.members.has(pinpoint) && isShown(pinpoint)) tell(`pinpoint-${pinpoint}`, 'added_to_list');
        lists.get(event.list)?.members.add(pinpoint);
      }
      break;
    case 'PinpointsRemoved':
      for (const pinpoint of event.pinpoints) {
        if (lists.get(event.list)?.members.delete(pinpoint) && isShown(pinpoint)) tell(`pinpoint-${pinpoint}`, 'removed_from_list');
      }
      break;
    default:
      break;
  }
};
