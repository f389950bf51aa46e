import type { HistoryItem } from '@waymark/operations/api/answers.ts';
import { fittedTable, shortened } from '../terminal/fitting.ts';
import { actorText, changesetText, changeText, valueText } from './values.ts';

const columns = [
  { heading: 'TIME' },
  { heading: 'REVISION' },
  { heading: 'ACTION' },
  { heading: 'ACTOR', isCut: true },
  { heading: 'CHANGESET', isCut: true },
];

const indent = '    ';

/** Formats entries of a history: one row per entry, and under it one line per changed field. */
export const entriesText = (entries: readonly HistoryItem[], width: number): string => {
  const rows = entries.map(({ time, revision, action, actor, changeset }) => [
    time,
    revision === null ? '' : `${revision}`,
    action,
    actorText(actor),
    changesetText(changeset),
  ]);
  const [headings = '', ...lines] = fittedTable(columns, rows, width).split('\n');
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
