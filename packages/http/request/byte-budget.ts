import type { OpenAmounts, Totals } from '../counters/open-amounts.ts';

/** Bytes that a process holds for its callers, either of bodies or of responses. No caller can take them all. */
export type ByteBudget = {
  /** Creates the hold for one body or one response of a caller. It starts without bytes. */
  readonly hold: (caller: string) => ByteHold;
  readonly takenBytes: () => number;
};

/** The bytes of one body or response. */
export type ByteHold = {
  /** Takes more bytes. Returns false if the budget or the caller's share is used up. Bytes taken before stay taken until they are released. */
  readonly take: (bytes: number) => boolean;
  /** Releases this number of bytes; by default, all that are left. */
  readonly release: (bytes?: number) => void;
};

export type ByteBudgetOptions = {
  readonly name: Exclude<keyof Totals, 'connections' | 'streams'>;
  readonly bytesMax: number;
  /** Counts the bytes of all threads. */
  readonly amounts: OpenAmounts;
};

/** Creates a byte budget. While less than half of it is taken, any caller may take more. Above that, each caller may hold an eighth, or a
 * single hold of any size if it held nothing before. So a caller that holds nothing can always send one body while there is room. */
export const createByteBudget = ({ name, bytesMax, amounts }: ByteBudgetOptions): ByteBudget => {
  const total = amounts.totals[name];

  const hold = (caller: string): ByteHold => {
    const key = `${name}:${caller}`;
    let own = 0;
    /** Whether the caller held nothing when this hold took its first bytes. */
    let isFirst = false;

    const mayTake = (bytes: number, taken: number, held: number): boolean => {
      if (taken + bytes > bytesMax) return false;
      return taken < bytesMax / 2 || held === 0 || isFirst || held + bytes <= bytesMax / 8;
    };
    return {
      take: (bytes) => {
        if (bytes === 0) return true;
        let before = 0;
        const isTaken = amounts.change(key, (held) => {
          before = held;
          const isRoom = total.change((taken) => (mayTake(bytes, taken, held) ? taken + bytes : undefined));
          return isRoom ? held + bytes : undefined;
        });
        if (!isTaken) return false;
        if (before === 0) isFirst = true;
        own += bytes;
        return true;
      },
      release: (bytes = own) => {
        const given = Math.min(bytes, own);
        if (given === 0) return;
        own -= given;
        if (own === 0) isFirst = false;
        amounts.change(key, (held) => held - given);
        total.change((taken) => taken - given);
      },
    };
  };

  return { hold, takenBytes: total.value };
};
