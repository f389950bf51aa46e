import type { Command } from 'commander';

/** Adds the `--json` option, which every command has. */
export const withJson = (command: Command): Command => command.option('--json', 'print one JSON value, and nothing else, on stdout');
