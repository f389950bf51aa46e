/** What the notary reports about itself. */
export type ShownNotary = {
  readonly state: 'reading' | 'signing' | 'refusing';
  /** Why it signs nothing. */
  readonly reason: string | null;
  readonly origin: string | null;
  /** The last checkpoint of the origin: its number, its time, and the position of the log that it covers. */
  readonly number: number;
  readonly time: string | null;
  readonly through: number;
  /** The position up to which the notary has read the log. */
  readonly position: number;
};
