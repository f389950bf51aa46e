import type { ActivityItem, HistoryItem } from '@waymark/operations/api/answers.ts';
import { fittedTable, shortened } from '../terminal/fitting.ts';
import { actorText, changesetText, changeText, valueText } from './values.ts';

const columns = [
  { heading: 'TIME' },
  { heading: 'OBJECT', isCut: true },
  { heading: 'REVISION' },
  { heading: 'ACTION' },
  { heading: 'ACTOR', isCut: true },
  { heading: 'CHANGESET', isCut: true },
];

const indent = '    ';

/** An entry of an object's history, or one of an account's activity, which names its object. */
type Entry = HistoryItem & Partial<Pick<ActivityItem, 'object'>>;

/** Formats entries of a history: one row per entry, and under it one line per changed field. */
export const entriesText = (entries: readonly Entry[], width: number): string => {
  const isActivity = entries.some(({ object }) => object !== undefined);
  const rows = entries.map(({ object, ...entry }) => [
    entry.time,
    ...(object === undefined ? [] : [`${object.kind}/${object.id}`]),
    entry.revision === null ? '' : `${entry.revision}`,
    entry.action,
    actorText(entry.actor),
    changesetText(entry.changeset),
  ]);
  const shown = columns.filter(({ heading }) => isActivity || heading !== 'OBJECT');
  const [headings = '', ...lines] = fittedTable(shown, rows, width).split('\n');
  const details = (nth: number): readonly string[] => detailsOf(entries[nth] as HistoryItem, width - indent.length);
  return [headings, ...lines.flatMap((line, nth) => [line, ...details(nth).map((detail) => `${indent}${detail}`)])].join('\n');
};

const detailsOf = ({ changes, members, related }: HistoryItem, max: number): readonly string[] => [
  ...(changes === null ? ['The content was erased.'] : []),
  ...Object.entries(changes ?? {}).map(([name, change]) => `${name}: ${changeText(change, max - name.length - 2)}`),
  ...Object.entries(members ?? {}).flatMap(([change, ids]) => (ids.length === 0 ? [] : shortened(`${change}: ${ids.join(', ')}`, max))),
  ...(related === undefined ? [] : [shortened(relatedText(related), max)]),
];

/** Names another object, or tells what an order is about. */
const relatedText = ({ kind, id, ...order }: NonNullable<HistoryItem['related']>): string =>
  kind === undefined
    ? Object.entries(order)
        .map(([name, value]) => `${name}: ${valueText(value)}`)
        .join(', ')
    : `${kind}/${id}`;
