import { setTimeout as pause } from 'node:timers/promises';
import { ForeignReadModels } from '@waymark/read-models/read-models.ts';

/** The result of repeated checks whether an engine responds. */
export type HealthCheck = { readonly name: string; readonly failure: () => string | undefined; readonly close: () => void };

const everyMsUsual = 1_000;

/** Checks an engine repeatedly, one request at a time. `ask` must have a time limit of its own. */
export const createHealthCheck = (name: string, ask: () => Promise<unknown>, everyMs = everyMsUsual): HealthCheck => {
  const closing = new AbortController();
  let failure: string | undefined = `${name} has not been checked yet.`;
  const poll = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      failure = await ask().then(
        () => undefined,
        // The engine does respond; the operator has to change a setting.
        (error: unknown) => (error instanceof ForeignReadModels ? error.message : `${name} does not answer.`),
      );
      await pause(everyMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  void poll();
  return { name, failure: () => failure, close: () => closing.abort() };
};

const firstEveryMs = 100;
const firstWithinMs = 5_000;

/** Waits until an engine has responded once. Waits no longer than `withinMs` and the request in progress: for engines that the process can
 * do without. */
export const firstAnswer = async (ask: () => Promise<unknown>, stopped: AbortSignal, withinMs = firstWithinMs): Promise<void> => {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(withinMs)]);
  while (!signal.aborted) {
    const hasAnswered = await ask().then(
      () => true,
      () => false,
    );
    if (hasAnswered) return;
    await pause(firstEveryMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Returns the states of the engines for `waymark status`. */
export const engineStates = (watched: readonly HealthCheck[]): Readonly<Record<string, string>> =>
  Object.fromEntries(watched.map(({ name, failure }) => [name, failure() === undefined ? 'up' : 'away']));

export const failuresOf = (watched: readonly HealthCheck[]): readonly string[] => watched.flatMap(({ failure }) => failure() ?? []);
