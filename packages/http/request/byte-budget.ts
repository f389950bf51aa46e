/** Bytes that a process holds for its callers: of bodies, or of responses. No caller can take them all. */
export type ByteBudget = {
  /** For one body, or one response, of a caller. It has no bytes yet. */
  readonly hold: (caller: string) => ByteHold;
  readonly takenBytes: () => number;
};

/** Bytes of one body or response. */
export type ByteHold = {
  /** Takes more bytes. False: the budget, or the caller's share, is used up; bytes taken before stay taken until they are released. */
  readonly take: (bytes: number) => boolean;
  /** Gives back so many bytes; without a number all that are left. */
  readonly release: (bytes?: number) => void;
};

/** While less than half is taken, any caller may take more. Above that, each caller gets an eighth, or one whole hold where it had nothing
 * before: so a caller that holds nothing can always send one body while there is room. */
export const createByteBudget = (bytesMax: number): ByteBudget => {
  const byCaller = new Map<string, Held>();
  let taken = 0;

  const hold = (caller: string): ByteHold => {
    let own = 0;

    const mayTake = (bytes: number): boolean => {
      if (taken + bytes > bytesMax) return false;
      if (taken < bytesMax / 2) return true;
      const held = byCaller.get(caller);
      return held === undefined || held.whole === made || held.bytes + bytes <= bytesMax / 8;
    };
    const take = (bytes: number): boolean => {
      if (bytes === 0) return true;
      if (!mayTake(bytes)) return false;
      const held = byCaller.get(caller);
      if (held === undefined) byCaller.set(caller, { bytes, whole: made });
      else held.bytes += bytes;
      own += bytes;
      taken += bytes;
      return true;
    };
    const release = (bytes = own): void => {
      const held = byCaller.get(caller);
      if (held === undefined) return;
      const given = Math.min(bytes, own);
      own -= given;
      taken -= given;
      held.bytes -= given;
      if (held.bytes === 0) byCaller.delete(caller);
      else if (own === 0 && held.whole === made) held.whole = undefined;
    };
    const made: ByteHold = { take, release };
    return made;
  };

  return { hold, takenBytes: () => taken };
};

/** All that a caller holds; `whole`: the hold that it began with. */
type Held = { bytes: number; whole: ByteHold | undefined };
