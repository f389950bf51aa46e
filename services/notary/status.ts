/** What a notary reports about itself. */
export type NotaryStatus = {
  /** `reading`: it reads the log and compares it with what it has signed. `signing`: it signs whenever the log has grown. `refusing`: see
   * `reason`. */
  readonly state: 'reading' | 'signing' | 'refusing';
  /** Why it signs nothing, as a sentence; undefined unless it refuses. */
  readonly reason: string | undefined;
  readonly origin: string | undefined;
  /** The number of the last checkpoint of the origin; 0 before the first one. */
  readonly number: number;
  /** When it was signed: ISO 8601. */
  readonly time: string | undefined;
  /** The position of the log that it covers, and up to which the log was read. */
  readonly through: number;
  readonly position: number;
  readonly events: number;
  /** Whether events were read that no checkpoint covers yet. */
  readonly isGrown: boolean;
  readonly accounts: number;
  /** The checkpoints that this process has signed. */
  readonly signed: number;
};

export const initialStatus: NotaryStatus = {
  state: 'reading',
  reason: undefined,
  origin: undefined,
  number: 0,
  time: undefined,
  through: 0,
  position: 0,
  events: 0,
  isGrown: false,
  accounts: 0,
  signed: 0,
};

export type StatusKeeper = {
  readonly now: () => NotaryStatus;
  readonly change: (changes: Partial<NotaryStatus>) => void;
};

/** @param changed called with each status
 * @param first what an earlier notary of the process has reported last */
export const createStatusKeeper = (changed: (status: NotaryStatus) => void, first = initialStatus): StatusKeeper => {
  let status = first;
  return {
    now: () => status,
    change: (changes) => {
      status = { ...status, ...changes };
      changed(status);
    },
  };
};
