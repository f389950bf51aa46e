import { ReadModelsUnavailable } from '../../read-models.ts';
import { leaseMs, refreshMs } from '../limits.ts';
import type { Pointer } from './pointer.ts';

/** The pointer as this process knows it. It is valid for `leaseMs` from the moment of the query, and is read again after `refreshMs`. A
 * process that changes the pointer waits for longer than that before it relies on the change. */
export type Lease = {
  /** Returns the pointer, almost always without a query.
   * @throws ReadModelsUnavailable where there is no pointer, or it cannot be read */
  readonly known: () => LeasedPointer | Promise<LeasedPointer>;
  /** Reads the pointer.
   * @throws ReadModelsUnavailable where there is none, or it cannot be read */
  readonly read: () => Promise<LeasedPointer>;
  /** Checks that data read under this pointer is still valid. After the lease time the pointer must be unchanged.
   * @throws ReadModelsUnavailable */
  readonly check: (known: LeasedPointer) => void | Promise<void>;
  /** Discards the known pointer. The next caller gets the stored one. */
  readonly discard: () => void;
};

export type LeasedPointer = { readonly pointer: Pointer; readonly askedAt: number };

export const createLease = (read: () => Promise<Pointer | undefined>, now: () => number = () => performance.now()): Lease => {
  let last: { readonly pointer: Pointer | undefined; readonly askedAt: number } | undefined;
  let asking: Promise<void> | undefined;
  let forgottenAt = Number.NEGATIVE_INFINITY;

  const ask = async (): Promise<void> => {
    const askedAt = now();
    const pointer = await read();
    const isLate = askedAt < forgottenAt || askedAt < (last?.askedAt ?? askedAt);
    if (!isLate) last = { pointer, askedAt };
  };
  const refresh = (): Promise<void> => {
    if (asking) return asking;
    const asked = ask().finally(() => {
      if (asking === asked) asking = undefined;
    });
    asking = asked;
    return asked;
  };

  const age = (): number => (last ? now() - last.askedAt : Number.POSITIVE_INFINITY);

  const current = (): LeasedPointer => {
    if (!last || age() >= leaseMs) throw new ReadModelsUnavailable('It is not known which generation is live.');
    const { pointer, askedAt } = last;
    if (!pointer) throw new ReadModelsUnavailable('No generation of the read models is live.');
    return { pointer, askedAt };
  };

  /** Reads the pointer again. After a pause of the process, the answer to a query from before may be too old; then it queries once more. */
  const readAgain = async (): Promise<LeasedPointer> => {
    await (asking ? asking.catch(() => undefined) : refresh());
    if (age() >= leaseMs) await refresh();
    return current();
  };
  const known = (): LeasedPointer | Promise<LeasedPointer> => {
    const old = age();
    if (old >= leaseMs) return readAgain();
    if (old >= refreshMs) refresh().catch(() => undefined);
    return current();
  };
  const assertUnchanged = async ({ pointer }: LeasedPointer): Promise<void> => {
    const present = await known();
    if (present.pointer.revision !== pointer.revision) throw new ReadModelsUnavailable('Another generation became live meanwhile.');
  };

  return {
    known,
    read: async () => {
      await refresh();
      return current();
    },
    check: (before) => (now() - before.askedAt < leaseMs ? undefined : assertUnchanged(before)),
    discard: () => {
      last = undefined;
      asking = undefined;
      forgottenAt = now();
    },
  };
};
