/** The maximum number of members that one event restates. */
export const membersRestatedMax = 10_000;

/** A range of ids, with the ids of all members in it, in ascending order. */
export type MemberRange = { readonly from: number; readonly to: number; readonly members: readonly number[] };

/** The ids of a list's members, which are changed in place: a list may have a million members. */
export type MemberRanges = {
  readonly add: (pinpoints: readonly number[]) => void;
  readonly remove: (pinpoints: readonly number[]) => void;
  /** Makes exactly these ids the members of a range. */
  readonly restate: (range: MemberRange) => void;
  /** Returns the range that begins with an id: as many members as one event restates. Returns undefined if the id is above all ids.
   * @param from 1, or the first id after the range before */
  readonly rangeFrom: (from: number) => MemberRange | undefined;
};

/** The last id that a pinpoint can have. */
export const lastId = Number.MAX_SAFE_INTEGER;

/** Keeps the ids in blocks of as many consecutive ids as one event restates. So a block always fits into one event. */
export const createMemberRanges = (): MemberRanges => {
  const blocks = new Map<number, Set<number>>();

  const blockOf = (pinpoint: number): Set<number> => {
    const key = keyOf(pinpoint);
    const block = blocks.get(key) ?? new Set();
    blocks.set(key, block);
    return block;
  };

  const add = (pinpoints: readonly number[]): void => {
    for (const pinpoint of pinpoints) blockOf(pinpoint).add(pinpoint);
  };

  const remove = (pinpoints: readonly number[]): void => {
    for (const pinpoint of pinpoints) {
      const block = blocks.get(keyOf(pinpoint));
      block?.delete(pinpoint);
      if (block?.size === 0) blocks.delete(keyOf(pinpoint));
    }
  };

  const restate = ({ from, to, members }: MemberRange): void => {
    for (const [key, block] of blocks) {
      if (key < keyOf(from) || key > keyOf(to)) continue;
      remove([...block].filter((pinpoint) => pinpoint >= from && pinpoint <= to));
    }
    add(members);
  };

  const rangeFrom = (from: number): MemberRange | undefined => {
    if (from > lastId) return undefined;
    const members: number[] = [];
    for (const key of inOrder([...blocks.keys()].filter((each) => each >= keyOf(from)))) {
      const block = blocks.get(key) ?? [];
      const more = [...block].filter((pinpoint) => pinpoint >= from);
      if (members.length + more.length > membersRestatedMax) return { from, to: key * membersRestatedMax - 1, members };
      members.push(...inOrder(more));
    }
    return { from, to: lastId, members };
  };

  return { add, remove, restate, rangeFrom };
};

const keyOf = (pinpoint: number): number => Math.floor(pinpoint / membersRestatedMax);

const inOrder = (numbers: readonly number[]): readonly number[] => numbers.toSorted((one, other) => one - other);
