import { idsPerQuestionMax } from './limits.ts';

/** Splits items into pieces that fit into one query. */
export const inPieces = <Item>(items: readonly Item[]): Item[][] => {
  const pieces: Item[][] = [];
  for (let start = 0; start < items.length; start += idsPerQuestionMax) pieces.push(items.slice(start, start + idsPerQuestionMax));
  return pieces;
};
