import type { RecordedEvent } from '@waymark/domain/event.ts';
import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { ErasureMark, HistoryEntry, Interval, RelationChange, Values } from '../entries.ts';
import type { ActivityFilter, HistoryReads, PositionRange } from '../history.ts';
import type { HistoryChange, Lookup } from '../projection/change.ts';
import { project } from '../projection/projection.ts';

type Entered = { readonly entry: HistoryEntry; readonly values: Values | null };
type Lasted = Interval & { readonly of: string | null };

/** The rows of a history, in lists. */
const newRows = () => ({
  entered: [] as Entered[],
  intervals: [] as Lasted[],
  members: new Set<string>(),
  relations: [] as RelationChange[],
  marks: new Map<string, ErasureMark>(),
});

type Rows = ReturnType<typeof newRows>;

/** Returns the reads of the history of some events, by the simplest means: lists that are searched. Nothing is cleaned. */
export const modelReads = (events: readonly RecordedEvent[]): HistoryReads => {
  const rows = newRows();
  const lookup = lookupIn(rows);
  for (const event of events) for (const change of project(event, lookup)) write(rows, change);
  return readsOf(rows);
};

const write = (rows: Rows, change: HistoryChange): void => {
  switch (change.type) {
    case 'entered':
      rows.entered.push({ entry: change.entry, values: change.values });
      return;
    case 'began':
      rows.intervals.push({ ...change.interval, until: null, of: change.of });
      return;
    case 'ended': {
      const { set, item, until } = change.interval;
      rows.intervals = rows.intervals.map((one) => (one.set === set && one.item === item && one.until === null ? { ...one, until } : one));
      return;
    }
    case 'member': {
      const key = `${change.pinpoint} ${change.list}`;
      if (change.isMember) rows.members.add(key);
      else rows.members.delete(key);
      return;
    }
    case 'related':
      rows.relations.push(change.change);
      return;
    case 'erased':
      rows.marks.set(change.mark.stream, change.mark);
  }
};

const lookupIn = (rows: Rows): Lookup => {
  const entered = (stream: string, revision: number) =>
    rows.entered.find(({ entry }) => entry.stream === stream && entry.revision === revision);
  const last = (stream: string) => rows.entered.findLast(({ entry }) => entry.stream === stream)?.entry;
  return {
    last,
    clockMs: (account) => Math.max(0, ...rows.entered.filter(({ entry }) => entry.account === account).map(({ entry }) => entry.clockMs)),
    values: (stream, names) => {
      const { origins = {} } = last(stream) ?? {};
      return Object.fromEntries(
        names.flatMap((name) => {
          const value = entered(stream, origins[name] ?? -1)?.values?.[name];
          return value === undefined ? [] : [[name, value]];
        }),
      );
    },
    lists: (pinpoint) =>
      [...rows.members]
        .map((key) => key.split(' ').map(Number))
        .filter(([one]) => one === pinpoint)
        .map(([, list]) => list ?? 0)
        .sort((one, other) => one - other),
    members: (list, from, to) =>
      [...rows.members]
        .map((key) => key.split(' ').map(Number))
        .filter(([pinpoint = 0, one]) => one === list && from <= pinpoint && pinpoint <= to)
        .map(([pinpoint]) => pinpoint ?? 0)
        .sort((one, other) => one - other),
    isMember: (list, pinpoint) => rows.members.has(`${pinpoint} ${list}`),
    place: (happening) => {
      const stay = rows.intervals.find(({ of, until }) => of === resourceStream('happening', happening) && until === null);
      return resourceOfStream(stay?.set ?? '')?.id;
    },
    positionOf: (stream, revision) => entered(stream, revision)?.entry.position,
  };
};

const readsOf = ({ entered, intervals, relations, marks }: Rows): HistoryReads => {
  const shown = (entry: HistoryEntry): HistoryEntry =>
    entry.revision < (marks.get(entry.stream)?.revision ?? 0) ? { ...entry, origins: {}, movedMetres: null } : entry;
  const entries = entered.map(({ entry }) => shown(entry));
  const before = (stream: string, position: number) => entries.filter((one) => one.stream === stream && one.position < position).reverse();
  return {
    entries: async (stream, position, limit) => before(stream, position).slice(0, limit),
    entriesAt: async (stream, revisions) => entries.filter((one) => one.stream === stream && revisions.includes(one.revision)),
    values: async (stream, revisions) =>
      new Map(
        entered.flatMap(({ entry, values }) => {
          const isErased = values === null || entry.revision < (marks.get(stream)?.before ?? 0);
          return entry.stream === stream && revisions.includes(entry.revision) && !isErased ? [[entry.revision, values] as const] : [];
        }),
      ),
    entriesAtPositions: async (positions) => entries.filter(({ position }) => positions.includes(position)),
    lastStates: async (streams) =>
      new Map(
        streams.flatMap((stream) =>
          before(stream, Number.MAX_SAFE_INTEGER)
            .slice(0, 1)
            .map((entry) => [stream, entry] as const),
        ),
      ),
    lastEntries: async (streams, through) =>
      new Map(streams.flatMap((stream) => before(stream, through + 1).slice(0, 1)).map((entry) => [entry.stream, entry] as const)),
    relationChanges: async (stream, position, limit) =>
      relations
        .filter((one) => one.stream === stream && one.position < position && isRelationLeft(one, marks))
        .sort((one, other) => other.position - one.position || (one.other < other.other ? -1 : 1))
        .slice(0, limit),
    ...intervalReads(intervals),
    entryAt: async (account, timeMs) => entries.findLast((one) => one.account === account && one.clockMs <= timeMs),
    entryOf: async (event) => entries.find((one) => one.event === event),
    activity: async (account, { before: position, sinceMs, untilMs, filter, entries: limit }) => {
      const found = entries
        .filter((one) => one.account === account && one.position < position)
        .filter((one) => one.clockMs >= sinceMs && one.clockMs <= (untilMs ?? Number.POSITIVE_INFINITY) && isFound(one, filter))
        .reverse();
      return { entries: found.slice(0, limit), next: found.length < limit ? null : (found[limit - 1]?.position ?? null) };
    },
    laterActivity: async (account, { after, sinceMs, untilMs, filter, entries: limit }) => {
      const later = entries.filter((one) => one.account === account && one.position > after);
      const found = later.filter(
        (one) => one.clockMs >= sinceMs && one.clockMs <= (untilMs ?? Number.POSITIVE_INFINITY) && isFound(one, filter),
      );
      const isEnd = found.length < limit;
      const last = isEnd ? later.at(-1) : found[limit - 1];
      return { entries: found.slice(0, limit), through: last?.position ?? after, isEnd };
    },
    erased: async (stream) => marks.get(stream),
  };
};

type IntervalReads = Pick<HistoryReads, 'intervalsOf' | 'intervalsIn' | 'intervalsAt' | 'setsAt' | 'itemsAt'>;

const intervalReads = (intervals: readonly Lasted[]): IntervalReads => ({
  intervalsOf: async (stream, range) =>
    inOrder(
      intervals.filter(({ of }) => of === stream),
      range,
    ),
  intervalsIn: async (set, item, range, limit = Number.MAX_SAFE_INTEGER) =>
    inOrder(
      intervals.filter((one) => one.set === set && one.item === item),
      range,
    ).slice(-limit),
  intervalsAt: async (set, items, at) =>
    new Map(
      [...items]
        .sort((one, other) => one - other)
        .flatMap((item) => intervals.filter((one) => one.set === set && one.item === item && contains(one, at)))
        .map((one) => [one.item, withoutStream(one)] as const),
    ),
  setsAt: async (stream, at) => ({
    sets: intervals
      .filter((one) => one.of === stream && contains(one, at))
      .map(({ set }) => set)
      .sort(),
    isAll: true,
  }),
  itemsAt: async (set, { at, beyond, direction, items }) => {
    const present = intervals.filter((one) => one.set === set && contains(one, at));
    const ordered = present.sort((one, other) => (direction === 'forward' ? one.item - other.item : other.item - one.item));
    const ahead = ordered.filter(({ item }) => (direction === 'forward' ? item > beyond : item < beyond)).map(withoutStream);
    return { items: ahead.slice(0, items), reads: 0, next: ahead[items] === undefined ? null : (ahead[items - 1]?.item ?? null) };
  },
});

const isFound = (entry: HistoryEntry, filter: ActivityFilter): boolean => {
  const { stream, streams, actor, types, correlation, requests, field, movedMetres } = filter;
  return [
    stream === undefined || entry.stream === stream,
    streams === undefined || entry.stream.startsWith(streams),
    actor === undefined || entry.actor === actor,
    types === undefined || types.includes(entry.type),
    correlation === undefined || entry.correlation === correlation,
    requests === undefined || requests.includes(entry.request ?? ''),
    field === undefined || entry.origins[field] === entry.revision,
    movedMetres === undefined || (entry.movedMetres ?? 0) > movedMetres,
  ].every(Boolean);
};

/** Whether a change of a relation was not erased: the members of a list are content of the list, the place of a happening is content of the
 * happening. */
const isRelationLeft = ({ stream, other, position }: RelationChange, marks: ReadonlyMap<string, ErasureMark>): boolean => {
  const ofList = stream.startsWith('list-') && other.startsWith('pinpoint-');
  const byContent = other.startsWith('list-') || other.startsWith('happening-');
  if (ofList && position < (marks.get(stream)?.from ?? 0)) return false;
  return !(byContent && position < (marks.get(other)?.from ?? 0));
};

const contains = ({ since, until }: Lasted, at: number): boolean => since <= at && (until ?? Number.POSITIVE_INFINITY) > at;

const withoutStream = ({ of: _, ...interval }: Lasted): Interval => interval;

const inOrder = (all: readonly Lasted[], { after, through }: PositionRange): readonly Interval[] =>
  all
    .filter(({ since, until }) => since <= through && (until ?? Number.POSITIVE_INFINITY) > after)
    .map(withoutStream)
    .sort((one, other) => (one.set === other.set ? one.since - other.since : one.set < other.set ? -1 : 1));
