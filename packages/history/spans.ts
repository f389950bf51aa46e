import type { Position } from '@waymark/event-log/event-log.ts';
import type { Interval } from './entries.ts';

/** The numbers of ids in the blocks that spans sum up. */
export const spanSizes = [256, 65_536] as const;

/** The intervals of a set in a block of ids. */
export type Span = {
  readonly set: string;
  readonly size: number;
  readonly block: number;
  /** When the first one began. */
  readonly since: Position;
  /** When the last one that has ended did so; 0 if none has. */
  readonly until: Position;
  /** How many go on. */
  readonly open: number;
};

/** Returns whether something may have been in a set at a position, in the block of a span. */
export const isOccupied = ({ since, until, open }: Pick<Span, 'since' | 'until' | 'open'>, at: Position): boolean =>
  since <= at && (open > 0 || until > at);

/** Collects how a batch changes spans. Positions only rise, so no interval is looked up. */
export type SpanChanges = {
  readonly began: (interval: Pick<Interval, 'set' | 'item' | 'since'>) => void;
  readonly ended: (interval: Pick<Interval, 'set' | 'item'> & { readonly until: Position }) => void;
  /** Returns the changes since the last call. `since` counts for a span that did not exist, and `open` is added. */
  readonly take: () => readonly Span[];
};

type Changed = Span & { until: Position; open: number };

export const collectSpanChanges = (): SpanChanges => {
  // Strings that name a span would take longer to make than all else here.
  let changed = new Map<string, Map<number, Changed>>();
  const spansOf = (set: string): Map<number, Changed> => {
    const known = changed.get(set);
    if (known !== undefined) return known;
    const spans = new Map<number, Changed>();
    changed.set(set, spans);
    return spans;
  };
  const change = (set: string, item: number, since: Position, until: Position, open: 1 | -1): void => {
    const spans = spansOf(set);
    for (const [nth, size] of spanSizes.entries()) {
      const block = Math.floor(item / size);
      const key = block * spanSizes.length + nth;
      const span = spans.get(key) ?? { set, size, block, since, until: 0, open: 0 };
      span.until = Math.max(span.until, until);
      span.open += open;
      spans.set(key, span);
    }
  };
  return {
    began: ({ set, item, since }) => change(set, item, since, 0, 1),
    ended: ({ set, item, until }) => change(set, item, until, until, -1),
    take: () => {
      const taken = [...changed.values()].flatMap((spans) => [...spans.values()]);
      changed = new Map();
      return taken;
    },
  };
};
