import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import type { Routes } from '@waymark/http/call.ts';
import { unavailable } from '@waymark/http/errors.ts';

/** Accepts writes, or refuses all of them. Each form of the product has its own source of the refusal. */
export type WriteGate = {
  /** Returns why writes are refused, as a sentence, or undefined if they are accepted.
   * @throws LogUnavailable */
  readonly refusal: () => string | undefined | Promise<string | undefined>;
  /** Returns a log that appends and erases nothing while writes are refused. */
  readonly gated: (log: EventLog) => EventLog;
  /** The appends and erasures in progress in the gated logs. */
  readonly inProgress: ReadonlySet<Promise<unknown>>;
};

/** The refusal while an operator keeps writes closed. */
export const writesClosed = 'Writes are closed.';

export const createWriteGate = (refusal: WriteGate['refusal']): WriteGate => {
  const inProgress = new Set<Promise<unknown>>();
  const ifAccepted = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    const known = refusal();
    // A known refusal is not awaited: if writes are closed after the check, this write is already in progress.
    const refused = known instanceof Promise ? await known : known;
    if (refused !== undefined) throw new LogUnavailable(refused);
    const writing = write();
    inProgress.add(writing);
    return writing.finally(() => inProgress.delete(writing));
  };
  return {
    refusal,
    gated: (log) => ({
      ...log,
      append: (...order) => ifAccepted(() => log.append(...order)),
      eraseBefore: (...order) => ifAccepted(() => log.eraseBefore(...order)),
    }),
    inProgress,
  };
};

type Refusing = Pick<WriteGate, 'refusal'>;

/** Returns routes that answer 503 at once while writes are refused. */
export const closable = (gate: Refusing, routes: Routes): Routes =>
  Object.fromEntries(Object.entries(routes).map(([endpoint, handle]) => [endpoint, whenAccepted(gate, handle)]));

/** Adds the same check to those operator routes that change something. */
export const closableOrders = (gate: Refusing, routes: readonly OpenRoute[]): readonly OpenRoute[] =>
  routes.map((route) => (route.method === 'GET' ? route : { ...route, handle: whenAccepted(gate, route.handle) }));

const whenAccepted =
  <Call, Result>({ refusal }: Refusing, handle: (call: Call) => Result | Promise<Result>) =>
  async (call: Call): Promise<Result> => {
    const known = refusal();
    const refused = known instanceof Promise ? await known : known;
    if (refused !== undefined) throw unavailable(refused);
    return handle(call);
  };
