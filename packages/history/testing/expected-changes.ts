import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';

/** What a test expects of an object that differs between two positions. */
export type ExpectedChange = {
  readonly stream: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** The id of the event of its last change. */
  readonly last: string;
  readonly revisions: { readonly from: number | null; readonly to: number };
  /** What its deletion ended, by kind. */
  readonly ended?: Readonly<Record<string, number>>;
};

/** The objects at a position. */
type World = {
  readonly present: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  readonly places: ReadonlyMap<string, string>;
};

const kind = /^(pinpoint|list|category|happening)-\d+$/;

/** What a log says of the past. It is folded one event at a time, and shares no code with the history. */
const pastOf = (events: readonly RecordedEvent[]) => {
  const owners = new Map(events.toReversed().map(({ stream, envelope }) => [stream, envelope.account]));
  const worlds = worldsOf(events);
  const worldAt = (position: number): World => worlds[events.filter((event) => event.position <= position).length] as World;
  return {
    owners,
    worldAt,
    lastOf: (stream: string, through: number) => events.findLast((event) => event.stream === stream && event.position <= through),
    between: (from: number, to: number) => events.filter(({ position }) => position > from && position <= to),
    shown: (list: string, position: number): ReadonlySet<string> => {
      const { members, present } = worldAt(position);
      if (!present.has(list)) return new Set();
      return new Set([...(members.get(list) ?? [])].filter((one) => present.has(one) && owners.get(one) === owners.get(list)));
    },
    /** Whether clients saw an object: a happening is hidden without its pinpoint. Before its erasure its pinpoint is not known any more. */
    isSeen: (stream: string, position: number): boolean => {
      const { present, places } = worldAt(position);
      const isErased = events.some((event) => event.stream === stream && event.position > position && isErasure(event));
      if (!stream.startsWith('happening-') || !present.has(stream) || isErased) return present.has(stream);
      const place = places.get(stream) ?? '';
      return present.has(place) && owners.get(place) === owners.get(stream);
    },
  };
};

const isErasure = ({ envelope }: RecordedEvent): boolean => envelope.type === 'HappeningRedacted';

type Past = ReturnType<typeof pastOf>;

const endedBy = ({ worldAt, owners, shown }: Past, stream: string, before: number): ExpectedChange['ended'] => {
  const { present, places } = worldAt(before);
  if (stream.startsWith('list-')) return { pinpoints: shown(stream, before).size };
  if (!stream.startsWith('pinpoint-')) return undefined;
  const own = [...present].filter((one) => owners.get(one) === owners.get(stream));
  return {
    lists: own.filter((one) => one.startsWith('list-') && shown(one, before).has(stream)).length,
    events: own.filter((one) => places.get(one) === stream).length,
  };
};

/** An object that differs, and the event of its last change. */
type Found = { readonly stream: string; readonly change: ExpectedChange['change']; readonly event: RecordedEvent };

const linesOf = (past: Past, from: number, to: number, found: readonly Found[]): readonly ExpectedChange[] =>
  found
    .toSorted((one, other) => byPosition(other.event, one.event) || idOf(one.stream) - idOf(other.stream))
    .map(({ stream, change, event }) => {
      const isDeletion = change === 'removed' && event.stream === stream;
      const ended = isDeletion ? endedBy(past, stream, event.position - 1) : undefined;
      const revisions = { from: past.lastOf(stream, from)?.revision ?? null, to: past.lastOf(stream, to)?.revision ?? 0 };
      return { stream, change, last: event.envelope.id, revisions, ...(ended ? { ended } : {}) };
    });

const changedObjects = ({ isSeen, lastOf }: Past, streams: readonly string[], from: number, to: number): readonly Found[] =>
  streams.flatMap((stream) => {
    const event = lastOf(stream, to);
    const change = changeOf(isSeen(stream, from), isSeen(stream, to));
    return event && event.position > from && change ? [{ stream, change, event }] : [];
  });

const changedMembers = ({ shown, between }: Past, list: string, from: number, to: number): readonly Found[] => {
  const [was, is] = [shown(list, from), shown(list, to)];
  const events = between(from, to);
  return [...was.union(is)].flatMap((stream) => {
    const change = changeOf(was.has(stream), is.has(stream));
    const left = events.find(({ position }) => !shown(list, position).has(stream));
    const joined = events.findLast(({ position }) => !shown(list, position - 1).has(stream) && shown(list, position).has(stream));
    const edited = events.findLast((event) => event.stream === stream);
    const came = was.has(stream) ? undefined : joined;
    const event = is.has(stream)
      ? [came, edited]
          .filter((one) => one !== undefined)
          .sort(byPosition)
          .at(-1)
      : left;
    return change && event ? [{ stream, change, event }] : [];
  });
};

/** Returns what differs between two positions of a log: of the objects of an account, or of the members of a list. */
export const expectedChanges = (events: readonly RecordedEvent[]) => {
  const past = pastOf(events);
  const ofAccount = (account: string): readonly string[] =>
    [...past.owners].filter(([stream, owner]) => owner === account && kind.test(stream)).map(([stream]) => stream);
  return {
    objects: (account: string, from: number, to: number) => linesOf(past, from, to, changedObjects(past, ofAccount(account), from, to)),
    /** The ids of the members of a list that differ, in ascending order. */
    membersBetween: (list: string, from: number, to: number) => {
      const [was, is] = [past.shown(list, from), past.shown(list, to)];
      const idsIn = (streams: ReadonlySet<string>) => [...streams].map(idOf).sort((one, other) => one - other);
      return { added: idsIn(is.difference(was)), removed: idsIn(was.difference(is)) };
    },
    membersOf: (list: string, from: number, to: number) => {
      const isThere = past.worldAt(to).present.has(list);
      return linesOf(past, from, to, isThere ? changedMembers(past, list, from, to) : changedObjects(past, [list], from, to));
    },
  };
};

const byPosition = (one: RecordedEvent, other: RecordedEvent): number => one.position - other.position;

const idOf = (stream: string): number => Number(stream.split('-')[1]);

const changeOf = (was: boolean, is: boolean): ExpectedChange['change'] | undefined => {
  if (was && is) return 'changed';
  if (was) return 'removed';
  return is ? 'added' : undefined;
};

/** Returns the world before all events, and after each of them. */
const worldsOf = (events: readonly RecordedEvent[]): readonly World[] => {
  const worlds: World[] = [{ present: new Set(), members: new Map(), places: new Map() }];
  for (const event of events) worlds.push(worldAfter(worlds.at(-1) as World, event));
  return worlds;
};

const worldAfter = ({ present, members, places }: World, event: RecordedEvent): World => {
  const { stream, envelope } = event;
  const says: DomainEvent | undefined = kind.test(stream) ? decode(event) : undefined;
  const now = new Set(present);
  if (/(Created|Restored)$/.test(envelope.type)) now.add(stream);
  if (envelope.type.endsWith('Deleted')) now.delete(stream);
  const ofList = new Set(members.get(stream));
  if (says?.type === 'PinpointsAdded') for (const id of says.pinpoints) ofList.add(`pinpoint-${id}`);
  if (says?.type === 'PinpointsRemoved') for (const id of says.pinpoints) ofList.delete(`pinpoint-${id}`);
  const isPlaced = says?.type === 'HappeningCreated' || says?.type === 'HappeningRestored' || says?.type === 'HappeningEdited';
  const place = isPlaced ? says.fields.pinpoint : undefined;
  return {
    present: now,
    members: stream.startsWith('list-') ? new Map(members).set(stream, ofList) : members,
    places: place === undefined ? places : new Map(places).set(stream, `pinpoint-${place}`),
  };
};
