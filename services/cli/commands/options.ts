import type { Command } from 'commander';

/** What every command has beside its own. */
export const withJson = (command: Command): Command => command.option('--json', 'print one JSON value, and nothing else, on stdout');
