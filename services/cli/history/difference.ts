import type { Difference, FieldDifference } from '@waymark/operations/api/answers.ts';
import { fittedTable } from '../terminal/fitting.ts';
import { grouped, plain } from '../terminal/output.ts';
import { valueText } from './values.ts';

const columns = [{ heading: 'FIELD' }, { heading: 'OLD', isCut: true }, { heading: 'NEW', isCut: true }, { heading: 'DISTANCE' }];

/** Formats the difference between two revisions: a table of fields, then the words of a description and the members of a list. */
export const differenceText = ({ fields, members, next }: Difference, width: number): string => {
  const changed = Object.entries(fields);
  const { added = [], removed = [] } = members ?? {};
  const rows = changed.filter(([, { words }]) => words === undefined).map(rowOf);
  const parts = [
    ...(rows.length === 0 ? [] : [fittedTable(columns, rows, width)]),
    ...changed.flatMap(([name, { words, ...rest }]) => (words === undefined ? [] : [descriptionText(name, { words, ...rest })])),
    ...(added.length === 0 ? [] : [`members added\n${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`members removed\n${removed.join(', ')}`]),
    ...(typeof next === 'number' ? [`More members differ, with ids above ${next}.`] : []),
  ];
  return parts.length === 0 ? 'The revisions do not differ.' : parts.join('\n\n');
};

const rowOf = ([name, { old, new: current, metres }]: [string, FieldDifference]): readonly string[] => [
  name,
  placeText(old),
  placeText(current),
  metres === undefined ? '' : `${grouped(metres)} m`,
];

const placeText = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'latitude' in value && 'longitude' in value
    ? `${value.latitude}, ${value.longitude}`
    : valueText(value);

const descriptionText = (name: string, { words, links = [], complete }: FieldDifference): string =>
  [
    name,
    (words ?? []).map(({ change, text }, nth) => marks[change](plain(text), nth, (words ?? []).length)).join(''),
    ...links.map(({ attribute, old, new: current }) => plain(`${attribute}: ${valueText(old)} → ${valueText(current)}`)),
    ...(complete === false ? ['The texts differ too much to be compared word by word.'] : []),
  ].join('\n');

type Mark = (text: string, nth: number, count: number) => string;

/** Characters of an unchanged part that are shown beside a change. */
const contextMax = 60;

/** Shortens the middle of an unchanged part, or the side of it that is beside no change. */
const context: Mark = (text, nth, count) => {
  const characters = [...text];
  const start = nth === 0 ? '' : characters.slice(0, contextMax).join('');
  const end = nth === count - 1 ? '' : characters.slice(-contextMax).join('');
  return characters.length <= 2 * contextMax ? text : `${start}…${end}`;
};

const marks: Readonly<Record<NonNullable<FieldDifference['words']>[number]['change'], Mark>> = {
  same: context,
  added: (text) => `{+${text}+}`,
  removed: (text) => `[-${text}-]`,
  restyled: (text) => `{~${text}~}`,
};
