/** The place of a row in its file. */
export type RowLocation = {
  /** The row's number, from 1. Headings and blank lines do not count. */
  readonly row: number;
  /** The line on which the row begins. */
  readonly line: number;
  /** The number of bytes of the file up to the end of the row. */
  readonly end: number;
};

/** A row: a pinpoint as the API accepts it, or the problem because of which it is none. */
export type Row = RowLocation & ({ readonly body: string } | { readonly problem: string });
