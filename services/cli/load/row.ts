/** Where a row stands in its file. */
export type Place = {
  /** Rows are counted from 1; headings and blank lines are none. */
  readonly row: number;
  /** The line that it begins on. */
  readonly line: number;
  /** How far the file is read with it, in bytes. */
  readonly end: number;
};

/** A row: a pinpoint as the API takes it, or why it is none. */
export type Row = Place & ({ readonly body: string } | { readonly problem: string });
