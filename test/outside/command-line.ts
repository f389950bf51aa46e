import { allCommands } from '@waymark/cli/commands/all.ts';
import { programWith } from '@waymark/cli/program.ts';
import { exitCodes } from '@waymark/cli/terminal/exit-codes.ts';
import type { Command } from 'commander';

/** Returns the interface of the command line: the arguments of each command, the options with their defaults, and the exit codes. Help
 * texts are left out. */
export const commandLineOf = () => ({
  commands: Object.fromEntries(leaves(programWith(allCommands)).map((command) => [wordsOf(command), shapeOf(command)])),
  'exit codes': Object.values(exitCodes).map(({ code }) => code),
});

/** Returns the commands that do something, and not those that only group others. */
const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap((inner) => leaves(inner));

const wordsOf = (command: Command): string => (command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name());

const shapeOf = (command: Command) => ({
  arguments: command.registeredArguments.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`)),
  options: Object.fromEntries(
    command.options.map(({ flags, mandatory, defaultValue }) => [flags, { required: mandatory, default: defaultValue ?? null }]),
  ),
});
