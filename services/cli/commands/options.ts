import { isOpaqueId } from '@waymark/domain/opaque-id.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailed } from '../terminal/exit-codes.ts';

/** Adds the `--json` option, which every command has. */
export const withJson = (command: Command): Command => command.option('--json', 'print one JSON value, and nothing else, on stdout');

export type ByOption = { readonly by?: string };

/** Adds the `--by` option, which every command has that changes an installation through its operator API. */
export const withBy = (command: Command): Command =>
  command.option('--by <ID>', 'opaque id of the person who gives the order: at most 64 characters without @ and blanks', opaqueId);

export const opaqueId = (text: string): string => {
  if (!isOpaqueId(text)) throw new InvalidArgumentError('An id has at most 64 characters without @ and blanks.');
  return text;
};

export const wholeNumber = (text: string): number => {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
};

export const positiveNumber = (text: string): number => {
  if (wholeNumber(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a positive whole number.');
};

/** Returns the id of an object that has a number.
 * @throws CommandFailed */
export const idOfNumbered = (kind: string, text: string): number => {
  try {
    return positiveNumber(text);
  } catch (error) {
    throw new CommandFailed('usage', `The id of a ${kind}: ${(error as Error).message}`, { cause: error });
  }
};
