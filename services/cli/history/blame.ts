import type { Blame, BlamedField } from '@waymark/operations/api/answers.ts';
import { fittedTable } from '../terminal/fitting.ts';
import { actorText, changesetText, valueText } from './values.ts';

const columns = [
  { heading: 'FIELD' },
  { heading: 'VALUE', isCut: true },
  { heading: 'BEFORE', isCut: true },
  { heading: 'REVISION' },
  { heading: 'SET' },
  { heading: 'ACTOR', isCut: true },
  { heading: 'CHANGESET', isCut: true },
];

/** Formats which event set each field. */
export const blameText = ({ fields }: Blame, width: number): string => fittedTable(columns, Object.entries(fields).map(rowOf), width);

const rowOf = ([name, { value, before, set, erased }]: [string, BlamedField]): readonly string[] =>
  set === null
    ? [name, valueText(value), '', '', `before the erasure of ${erased?.time}`, '', '']
    : [name, valueText(value), valueText(before), `${set.revision}`, set.time, actorText(set.actor), changesetText(set.changeset)];
