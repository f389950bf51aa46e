import fc from 'fast-check';
import type { Server } from '../server.ts';
import type { People } from './people.ts';
import type { Picture } from './pictures.ts';
import type { Model } from './state.ts';

/** The service, its callers, and everything that it has ever given out. */
export type Real = {
  readonly server: Server;
  readonly people: People;
  readonly pictures: readonly Picture[];
  /** Ids with their kind, and URLs of files. */
  readonly givenOut: Set<string>;
  /** Returns a text that was never used before. */
  readonly fresh: () => string;
};

export type ModelCommand = fc.AsyncCommand<Model, Real>;

/** Creates a command that may run in any state. Its plan is part of its name. */
export const commandOf =
  <Plan>(name: string, run: (model: Model, real: Real, plan: Plan) => Promise<void>) =>
  (plan: Plan): ModelCommand => ({
    check: () => true,
    run: (model, real) => run(model, real, plan),
    toString: () => `${name}(${fc.stringify(plan)})`,
  });

/** Checks that an id or a URL is given out only once. */
export const expectNeverGivenOut = (real: Real, what: string): void => {
  expect(real.givenOut.has(what) ? `${what}, again` : what).toBe(what);
  real.givenOut.add(what);
};
