import type { Position } from '@waymark/event-log/event-log.ts';
import type { ChangePlace } from '../questions.ts';

/** The positions of an account that are compared. */
export type Compared = { readonly account: string; readonly from: Position; readonly to: Position };

/** An object that differs. `place`: its last change up to the second position. */
export type Changed = {
  readonly stream: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly place: ChangePlace;
};

/** Objects that differ, in the order of their places. `next`: the place after which others may come; null at the end. */
export type ChangedPart = { readonly changed: readonly Changed[]; readonly next: ChangePlace | null };

/** Returns how an object differs that was or was not there, and is or is not there now; undefined if it was never seen. */
export const changeBetween = (was: boolean, is: boolean): Changed['change'] | undefined => {
  if (was) return is ? 'changed' : 'removed';
  return is ? 'added' : undefined;
};

/** Returns whether a place comes after another one. */
export const isAfter = (one: ChangePlace, other: ChangePlace): boolean => comparePlaces(other, one) < 0;

export const comparePlaces = (one: ChangePlace, other: ChangePlace): number => other.position - one.position || one.id - other.id;

/** Returns the first objects after a place. */
export const partOf = (all: readonly Changed[], after: ChangePlace, limit: number): ChangedPart => {
  const left = all.filter(({ place }) => isAfter(place, after)).sort((one, other) => comparePlaces(one.place, other.place));
  const changed = left.slice(0, limit);
  return { changed, next: left.length > limit ? (changed.at(-1)?.place ?? after) : null };
};
