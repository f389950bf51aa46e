import type { PageQuery } from '@waymark/domain/pages.ts';
import { createSeals } from './seals.ts';

/** Makes page queries opaque to clients. Opens only cursors that it made for the same log. */
export type Cursors = {
  readonly seal: (query: PageQuery) => string;
  /** Returns the page query, or undefined if the cursor is not valid. */
  readonly open: (cursor: string) => PageQuery | undefined;
};

/** Creates the cursors of a log.
 * @param keys the first one seals, all of them open; each is 32 random bytes as text */
export const createCursors = (keys: readonly string[], incarnation: string): Cursors => {
  const seals = createSeals(keys, incarnation);
  return {
    seal: (query) => seals.seal(JSON.stringify(packed(query))),
    open: (cursor) => {
      const text = seals.open(cursor);
      return text === undefined ? undefined : unpacked(JSON.parse(text));
    },
  };
};

type Packed = readonly [PageQuery['kind'], string, number | null, 0 | 1, number, number];

const packed = (query: PageQuery): Packed => [
  query.kind,
  query.account,
  query.within,
  query.direction === 'forward' ? 1 : 0,
  query.from,
  query.limit,
];

const unpacked = ([kind, account, within, forward, from, limit]: Packed): PageQuery => ({
  kind,
  account,
  within,
  direction: forward === 1 ? 'forward' : 'backward',
  from,
  limit,
});
