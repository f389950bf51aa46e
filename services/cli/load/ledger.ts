/** The progress of a load: every row up to `row` is answered. */
export type Mark = {
  readonly row: number;
  /** The number of bytes of the file that are processed. */
  readonly end: number;
  readonly created: number;
  readonly refused: number;
};

/** A row that did not become a pinpoint, and the reason: the body of the API's response, or an object of the same form. */
export type Refusal = { readonly row: number; readonly line: number; readonly problems: unknown };

export type Outcome = { readonly row: number; readonly line: number; readonly end: number; readonly problems?: unknown };

/** Puts outcomes in order. The API answers rows in any order; the mark and the refusals advance in the order of the rows. */
export type Ledger = {
  readonly mark: () => Mark;
  readonly settle: (outcome: Outcome) => void;
};

export const ledgerFrom = (start: Mark, onRefused: (refusal: Refusal) => void): Ledger => {
  let mark = start;
  const ahead = new Map<number, Outcome>();

  const pass = ({ row, line, end, problems }: Outcome): void => {
    const refused = problems !== undefined;
    // Reported first: if this fails, a load that continues at the mark reports it again.
    if (refused) onRefused({ row, line, problems });
    mark = { row, end, created: mark.created + (refused ? 0 : 1), refused: mark.refused + (refused ? 1 : 0) };
  };

  return {
    mark: () => mark,
    settle: (outcome) => {
      ahead.set(outcome.row, outcome);
      for (let next = ahead.get(mark.row + 1); next !== undefined; next = ahead.get(mark.row + 1)) {
        ahead.delete(next.row);
        pass(next);
      }
    },
  };
};
