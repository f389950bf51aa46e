import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import { inPieces } from '@waymark/read-models/mongodb/pieces.ts';
import type { TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import { TransactionTooLarge } from '@waymark/read-models/read-models.ts';
import type { LastState, Values } from '../entries.ts';
import type { HistoryChange, Lookup } from '../projection/change.ts';
import type { Needs } from '../projection/needs.ts';
import { type Collections, entryId, goesOn, memberId } from './collections.ts';
import type { AccountClocks } from './known-clocks.ts';
import { membershipsTogether } from './limits.ts';
import { stateOf } from './rows.ts';

/** The data that was read for a batch, and what the batch has changed since. */
export type BatchLookups = {
  readonly lookup: Lookup;
  /** Must be called with every change, because changes are written only later. */
  readonly note: (change: HistoryChange) => void;
  /** Whether the stream had an entry before the batch. */
  readonly isStored: (stream: string) => boolean;
  /** The clocks of the accounts, after the changes that were noted. */
  readonly clocks: AccountClocks;
};

/** `knownClocks`: those that need not be read. */
type BatchNeeds = Needs & { readonly knownClocks: AccountClocks };

/** Reads everything that the projection of a batch will look up, before any event is projected.
 * @throws TransactionTooLarge if several pinpoints are in more lists than one transaction should change */
export const readLookups = async (collections: Collections, needs: BatchNeeds, at: TransactionContext): Promise<BatchLookups> => {
  const lists = await readLists(collections, needs.pinpoints, at);
  const listStreams = [...lists.values()].flatMap((some) => [...some].map((list) => resourceStream('list', list)));
  const members = await readMembers(collections, needs.ranges, at);
  const pinpointStreams = [...members.values()].flatMap((some) => [...some].map((pinpoint) => resourceStream('pinpoint', pinpoint)));
  const states = await readStates(collections, [...needs.streams, ...listStreams, ...pinpointStreams], at);
  const memberships = await readMemberships(collections, needs.memberships, at);
  const places = await readPlaces(collections, needs.happenings, at);
  const values = await readValues(collections, needs.values, states, at);
  const clocks = await readClocks(collections, needs, at);
  const valued = new Set(needs.values.map(({ stream }) => stream));
  const positions = await readPositions(collections, needs.events, at);
  const stored = new Set([...states].filter(([, state]) => state !== undefined).map(([stream]) => stream));

  const lookup: Lookup = {
    last: (stream) => known(states, stream),
    clockMs: (account) => known(clocks, account) ?? 0,
    values: (stream, names) => {
      const origins = known(states, stream)?.origins ?? {};
      return Object.fromEntries(
        names.flatMap((name) => {
          const value = values.get(entryId(stream, origins[name] ?? -1))?.[name];
          return value === undefined ? [] : [[name, value]];
        }),
      );
    },
    lists: (pinpoint) => [...(known(lists, pinpoint) ?? [])].sort((one, other) => one - other),
    members: (list, from, to) => [...(known(members, list) ?? [])].filter((id) => from <= id && id <= to).sort((one, other) => one - other),
    isMember: (list, pinpoint) => known(memberships, memberId(pinpoint, list)) === true,
    place: (happening) => known(places, happening),
    positionOf: (stream, revision) => positions.get(entryId(stream, revision)),
  };
  const note = (change: HistoryChange): void => {
    switch (change.type) {
      case 'entered': {
        const { entry, values: set } = change;
        const key = entryId(entry.stream, entry.revision);
        states.set(entry.stream, entry);
        positions.set(key, entry.position);
        clocks.set(entry.account, entry.clockMs);
        if (set !== null && valued.has(entry.stream)) values.set(key, set);
        return;
      }
      case 'member':
        memberships.set(memberId(change.pinpoint, change.list), change.isMember);
        put(lists.get(change.pinpoint), change.list, change.isMember);
        put(members.get(change.list), change.pinpoint, change.isMember);
        return;
      case 'began':
        if (isPlace(change.interval.set)) places.set(change.interval.item, resourceOfStream(change.interval.set)?.id);
        return;
      case 'ended':
        if (isPlace(change.interval.set)) places.set(change.interval.item, undefined);
        return;
      case 'related':
      case 'erased':
    }
  };
  return { lookup, note, isStored: (stream) => stored.has(stream), clocks };
};

const put = (ids: Set<number> | undefined, id: number, isIn: boolean): void => {
  if (isIn) ids?.add(id);
  else ids?.delete(id);
};

const isPlace = (set: string): boolean => resourceOfStream(set)?.resource === 'pinpoint';

/** Returns what is known under a key. What was not read must not look like nothing. */
const known = <Key, Value>(values: ReadonlyMap<Key, Value | undefined>, key: Key): Value | undefined => {
  if (!values.has(key)) throw new Error(`${key} was not looked up.`);
  return values.get(key);
};

const readLists = async (
  { member }: Collections,
  pinpoints: readonly number[],
  at: TransactionContext,
): Promise<Map<number, Set<number>>> => {
  const lists = new Map(pinpoints.map((pinpoint) => [pinpoint, new Set<number>()]));
  let memberships = 0;
  for (const piece of inPieces([...lists.keys()])) {
    for await (const { pinpoint, list } of member.find({ pinpoint: { $in: piece } }, { projection: { _id: 0 }, ...at })) {
      memberships += 1;
      if (memberships > membershipsTogether && lists.size > 1) throw new TransactionTooLarge('The pinpoints are in too many lists.');
      lists.get(pinpoint)?.add(list);
    }
  }
  return lists;
};

const readMembers = async ({ member }: Collections, ranges: Needs['ranges'], at: TransactionContext): Promise<Map<number, Set<number>>> => {
  const members = new Map(ranges.map(({ list }) => [list, new Set<number>()]));
  for (const { list, from, to } of ranges) {
    const rows = member.find({ list, pinpoint: { $gte: from, $lte: to } }, { projection: { _id: 0, pinpoint: 1 }, ...at });
    for await (const { pinpoint } of rows) members.get(list)?.add(pinpoint);
  }
  return members;
};

const readStates = async (
  { state }: Collections,
  streams: readonly string[],
  at: TransactionContext,
): Promise<Map<string, LastState | undefined>> => {
  const states = new Map<string, LastState | undefined>(streams.map((stream) => [stream, undefined]));
  for (const piece of inPieces([...states.keys()])) {
    const rows = await state.find({ _id: { $in: piece } }, { batchSize: piece.length + 1, ...at }).toArray();
    for (const row of rows) states.set(row._id, stateOf(row, undefined));
  }
  return states;
};

const readMemberships = async (
  { member }: Collections,
  asked: Needs['memberships'],
  at: TransactionContext,
): Promise<Map<string, boolean>> => {
  const memberships = new Map(asked.map(({ list, pinpoint }) => [memberId(pinpoint, list), false]));
  for (const piece of inPieces([...memberships.keys()])) {
    const rows = await member.find({ _id: { $in: piece } }, { projection: { _id: 1 }, batchSize: piece.length + 1, ...at }).toArray();
    for (const { _id } of rows) memberships.set(_id, true);
  }
  return memberships;
};

/** The sets of happenings have names in this range. */
const places = { $gte: 'pinpoint-', $lt: 'pinpoint.' };

const readPlaces = async (
  { interval }: Collections,
  happenings: readonly number[],
  at: TransactionContext,
): Promise<Map<number, number | undefined>> => {
  const found = new Map<number, number | undefined>(happenings.map((happening) => [happening, undefined]));
  for (const piece of inPieces([...found.keys()])) {
    const filter = { item: { $in: piece }, until: { $eq: goesOn }, within: places };
    const rows = await interval.find(filter, { projection: { within: 1, item: 1 }, batchSize: piece.length + 1, ...at }).toArray();
    for (const { within, item } of rows) if (isPlace(within)) found.set(item, resourceOfStream(within)?.id);
  }
  return found;
};

/** Reads the present values of some fields. An event has the values of all fields that it set: the others, which may be long texts, are not
 * kept in memory. */
const readValues = async (
  { entry }: Collections,
  asked: Needs['values'],
  states: ReadonlyMap<string, LastState | undefined>,
  at: TransactionContext,
): Promise<Map<string, Values>> => {
  const ids = asked.flatMap(({ stream, names }) => {
    const { origins = {} } = states.get(stream) ?? {};
    return names.flatMap((name) => (origins[name] === undefined ? [] : [entryId(stream, origins[name])]));
  });
  const named = new Set(asked.flatMap(({ names }) => names));
  const values = new Map<string, Values>();
  for (const piece of inPieces([...new Set(ids)])) {
    const rows = entry.find({ _id: { $in: piece } }, { projection: { value: 1 }, batchSize: piece.length + 1, ...at });
    for await (const { _id, value } of rows) {
      if (value === null) continue;
      const all = Object.entries<unknown>(JSON.parse(value));
      values.set(_id, Object.fromEntries(all.filter(([name]) => named.has(name))));
    }
  }
  return values;
};

/** Reads the latest times of accounts, unless they are known. */
const readClocks = async (
  { entry }: Collections,
  { accounts, knownClocks }: BatchNeeds,
  at: TransactionContext,
): Promise<Map<string, number | undefined>> => {
  const clocks = new Map(knownClocks);
  for (const account of new Set(accounts)) {
    if (clocks.has(account)) continue;
    const options = { sort: { clock: -1, position: -1 }, projection: { _id: 0, clock: 1 }, ...at } as const;
    const row = await entry.findOne({ account: { $eq: account } }, options);
    clocks.set(account, row?.clock);
  }
  return clocks;
};

const readPositions = async ({ entry }: Collections, events: Needs['events'], at: TransactionContext): Promise<Map<string, number>> => {
  const positions = new Map<string, number>();
  for (const { stream, revision } of events) {
    const row = await entry.findOne({ _id: { $eq: entryId(stream, revision) } }, { projection: { position: 1 }, ...at });
    if (row) positions.set(entryId(stream, revision), row.position);
  }
  return positions;
};
