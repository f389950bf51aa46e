import type { Operator } from '../client/operator.ts';
import { withInstallation } from '../installation.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';

/** Runs calls that read the history of an installation. */
export const withHistory = <Result>(work: (operator: Operator) => Promise<Result>): Promise<Result> =>
  withInstallation((operator) => work(operator).catch(explained));

/** Explains the response of a server without these calls. A server that has them explains each of its refusals. */
const explained = (error: unknown): never => {
  const isUnknownCall = error instanceof CommandFailed && error.message === 'Not found.';
  throw isUnknownCall ? new CommandFailed('refused', 'This server does not offer the history to the command line.') : error;
};
