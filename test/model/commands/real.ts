import fc from 'fast-check';
import type { Server } from '../server.ts';
import type { People } from './people.ts';
import type { Picture } from './pictures.ts';
import type { Model } from './state.ts';

/** The service, who speaks to it, and what it has ever given out. */
export type Real = {
  readonly server: Server;
  readonly people: People;
  readonly pictures: readonly Picture[];
  /** Ids (with their kind) and file URLs. */
  readonly givenOut: Set<string>;
  /** Makes a text that was never used. */
  readonly fresh: () => string;
};

export type ModelCommand = fc.AsyncCommand<Model, Real>;

/** A command that always may be run, named by its plan. */
export const commandOf =
  <Plan>(name: string, run: (model: Model, real: Real, plan: Plan) => Promise<void>) =>
  (plan: Plan): ModelCommand => ({
    check: () => true,
    run: (model, real) => run(model, real, plan),
    toString: () => `${name}(${fc.stringify(plan)})`,
  });

/** What is given out is given out once. */
export const newlyGiven = (real: Real, what: string): void => {
  expect(real.givenOut.has(what) ? `${what}, again` : what).toBe(what);
  real.givenOut.add(what);
};
