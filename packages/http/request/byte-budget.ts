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

/** Creates a byte budget. While less than half of it is taken, any caller may take more. Above that, each caller may hold an eighth, or a
 * single hold of any size if it held nothing before. So a caller that holds nothing can always send one body while there is room. */
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

/** The bytes that a caller holds. `whole` is its first hold. */
type Held = { bytes: number; whole: ByteHold | undefined };
