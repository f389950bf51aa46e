import type { BlamedField, HistoryItem } from '@waymark/operations/api/answers.ts';
import { shortened } from '../terminal/fitting.ts';
import { width } from '../terminal/output.ts';

/** Returns the value of a field as text. */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
};

const arrow = ' → ';

/** Returns an old and a new value in at most a number of characters. A short one leaves its room to the other one. */
export const changeText = ({ old, new: current }: { readonly old: unknown; readonly new: unknown }, max: number): string => {
  const [before, after] = [valueText(old), valueText(current)];
  const half = Math.floor((max - width(arrow)) / 2);
  const [lengthBefore, lengthAfter] = [Math.min(width(before), max), Math.min(width(after), max)];
  const [roomBefore, roomAfter] = [2 * half - Math.min(lengthAfter, half), 2 * half - Math.min(lengthBefore, half)];
  return `${shortened(before, roomBefore)}${arrow}${shortened(after, roomAfter)}`;
};

/** Returns the name of an actor, or its id if it has no name. */
export const actorText = ({ id, name }: HistoryItem['actor']): string => name ?? id;

/** Returns the comment of a changeset, and the person whom it names. */
export const changesetText = (changeset: NonNullable<BlamedField['set']>['changeset']): string => {
  if (changeset === null) return '';
  const { comment, by } = changeset;
  return by === null ? (comment ?? 'erased') : `${comment ?? ''} (${by})`.trim();
};
