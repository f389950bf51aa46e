import { ReadModelsUnavailable } from '../../read-models.ts';
import { leaseMs, refreshMs } from '../limits.ts';
import type { Pointer } from './pointer.ts';

/** The pointer as this process knows it. What it knows counts for `leaseMs` from the moment it asked, and is asked for again after
 * `refreshMs`: whoever changes the pointer waits for longer than that before it relies on the change. */
export type Lease = {
  /** Known already, almost always. @throws ReadModelsUnavailable where there is no pointer, or it cannot be read */
  readonly known: () => Known | Promise<Known>;
  /** Whether what was read on its word still counts. After its time the pointer must be the same still. @throws ReadModelsUnavailable */
  readonly check: (known: Known) => void | Promise<void>;
  /** Who asks next gets what is stored now. */
  readonly forget: () => void;
};

export type Known = { readonly pointer: Pointer; readonly askedAt: number };

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

  const current = (): Known => {
    if (!last || age() >= leaseMs) throw new ReadModelsUnavailable('It is not known which generation is live.');
    const { pointer, askedAt } = last;
    if (!pointer) throw new ReadModelsUnavailable('No generation of the read models is live.');
    return { pointer, askedAt };
  };

  /** A process that stood still hears too late what it asked before: then it asks once more. */
  const renewed = async (): Promise<Known> => {
    await (asking ? asking.catch(() => undefined) : refresh());
    if (age() >= leaseMs) await refresh();
    return current();
  };
  const known = (): Known | Promise<Known> => {
    const old = age();
    if (old >= leaseMs) return renewed();
    if (old >= refreshMs) refresh().catch(() => undefined);
    return current();
  };
  const insistUnchanged = async ({ pointer }: Known): Promise<void> => {
    const present = await known();
    if (present.pointer.revision !== pointer.revision) throw new ReadModelsUnavailable('Another generation became live meanwhile.');
  };

  return {
    known,
    check: (before) => (now() - before.askedAt < leaseMs ? undefined : insistUnchanged(before)),
    forget: () => {
      last = undefined;
      asking = undefined;
      forgottenAt = now();
    },
  };
};
