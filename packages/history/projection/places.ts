import type { DomainEvent } from '@waymark/domain/event.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import type { HistoryEntry } from '../entries.ts';
import { happeningsAt } from '../sets.ts';
import type { HistoryChange, Lookup } from './change.ts';

/** Ends the stay of a happening at a pinpoint, and begins the next one, where the event moves it. The pinpoints' histories show both, unless
 * the event only restates the happening. */
export const placeChanges = (
  happening: number,
  entry: HistoryEntry,
  says: DomainEvent | undefined,
  lookup: Lookup,
): readonly HistoryChange[] => {
  const before = lookup.place(happening);
  const after = entry.present ? placeAfter(says, before) : undefined;
  if (before === after) return [];
  const changes = [
    ...left(happening, before, entry),
    ...(after !== undefined && isKnown(after, entry, lookup) ? came(happening, after, entry) : []),
  ];
  return says?.type === 'HappeningRedacted' ? changes.filter(({ type }) => type !== 'related') : changes;
};

const placeAfter = (says: DomainEvent | undefined, before: number | undefined): number | undefined => {
  switch (says?.type) {
    case 'HappeningCreated':
    case 'HappeningRestored':
      return says.fields.pinpoint;
    case 'HappeningEdited':
      return says.fields.pinpoint ?? before;
    case 'HappeningRedacted':
      return says.pinpoint;
    default:
      return before;
  }
};

const isKnown = (pinpoint: number, { account }: HistoryEntry, lookup: Lookup): boolean =>
  lookup.last(resourceStream('pinpoint', pinpoint))?.account === account;

const left = (happening: number, pinpoint: number | undefined, entry: HistoryEntry): readonly HistoryChange[] =>
  pinpoint === undefined
    ? []
    : [
        { type: 'ended', interval: { set: happeningsAt(pinpoint), item: happening, until: entry.position } },
        related(pinpoint, entry, false),
      ];

const came = (happening: number, pinpoint: number, entry: HistoryEntry): readonly HistoryChange[] => [
  {
    type: 'began',
    interval: { set: happeningsAt(pinpoint), item: happening, since: entry.position },
    of: resourceStream('happening', happening),
  },
  related(pinpoint, entry, true),
];

const related = (pinpoint: number, { position, stream: other }: HistoryEntry, began: boolean): HistoryChange => ({
  type: 'related',
  change: { stream: resourceStream('pinpoint', pinpoint), position, other, began },
});
