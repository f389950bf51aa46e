import type { Command } from 'commander';
import { printHistory } from '../history/printing.ts';
import { type ActivityFilters, activityPages } from '../history/reading.ts';
import { withHistory } from '../history/with-history.ts';
import { historyItemsDefault } from '../limits.ts';
import type { OutputOptions } from '../terminal/output.ts';
import { positiveNumber, withJson } from './options.ts';

type ActivityOptions = OutputOptions &
  Omit<ActivityFilters, 'correlation_id' | 'request_id'> & {
    readonly limit: number;
    readonly correlation?: string;
    readonly requestId?: string;
  };

const more = 'There is earlier activity: use --limit with a greater number, or --to with an earlier time.';

/** Adds the command that reads what happened in an account. */
export const addActivity = (program: Command): void => {
  withJson(program.command('activity'))
    .description('show what happened in an account, newest first: only what all given options select')
    .requiredOption('--account <name>', 'the account')
    .option('--resource <name>', 'pinpoints, lists, categories, events or applications; or one object, such as pinpoints/12')
    .option('--application <client-id>', 'the application that made the change')
    .option('--action <action>', 'what was done, as `waymark history` names it: created, edited, deleted, …')
    .option('--field <name>', 'a field that was set')
    .option('--moved <metres>', 'objects that moved by more than this distance')
    .option('--from <time>', 'the earliest time, such as 2026-06-01T08:00:00.000Z')
    .option('--to <time>', 'the latest time')
    .option('--correlation <id>', 'the Correlation-Id of the requests')
    .option('--changeset <id>', 'the changeset')
    .option('--request-id <id>', 'the id of the request, or its hash as the log of the server has it')
    .option('--limit <number>', 'the number of lines', positiveNumber, historyItemsDefault)
    .action(async ({ json, limit, ...options }: ActivityOptions) => {
      await withHistory((operator) => printHistory(activityPages(operator, filtersOf(options), limit), { json }, more));
    });
};

const filtersOf = ({ correlation, requestId, ...filters }: Omit<ActivityOptions, 'json' | 'limit'>): ActivityFilters => ({
  ...filters,
  ...(correlation === undefined ? {} : { correlation_id: correlation }),
  ...(requestId === undefined ? {} : { request_id: requestId }),
});
