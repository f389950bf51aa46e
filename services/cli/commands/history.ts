import type { Command } from 'commander';
import { blameText } from '../history/blame.ts';
import { differenceText } from '../history/difference.ts';
import { printHistory } from '../history/printing.ts';
import { type HistoryObject, historyPages, readDifference } from '../history/reading.ts';
import { withHistory } from '../history/with-history.ts';
import { historyItemsDefault } from '../limits.ts';
import { terminalColumns } from '../terminal/fitting.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { idOfNumbered, positiveNumber, wholeNumber, withJson } from './options.ts';

/** Adds the commands that read the history of an object. */
export const addHistory = (program: Command): void => {
  addEntries(program);
  addDiff(program);
  addBlame(program);
};

type ObjectOptions = OutputOptions & { readonly account: string };
type HistoryOptions = ObjectOptions & { readonly limit: number; readonly all?: boolean };

const addEntries = (program: Command): void => {
  ofObject(program, 'history')
    .description('show every change of an object, newest first: its time, action, actor and changeset, and each changed field')
    .option('--limit <number>', 'the number of changes', positiveNumber, historyItemsDefault)
    .option('--all', 'show all changes')
    .action(async (kind: Kind, id: string, { limit, all, ...options }: HistoryOptions) => {
      const object = objectOf(kind, id, options);
      const entriesMax = all ? Number.POSITIVE_INFINITY : limit;
      await withHistory((operator) => printHistory(historyPages(operator, object, entriesMax), options, moreOfObject));
    });
};

const moreOfObject = 'There are earlier changes: use --limit with a greater number, or --all.';

const diffDetails = `
A description is compared by words: [-removed-], {+added+}, and {~the same words
with other markup~}.
`;

const addDiff = (program: Command): void => {
  ofObject(program, 'diff')
    .description('compare two revisions of an object')
    .argument('<from>', 'a revision, as `waymark history` shows it', wholeNumber)
    .argument('<to>', 'a revision', wholeNumber)
    .addHelpText('after', diffDetails)
    .action(async (kind: Kind, id: string, from: number, to: number, options: ObjectOptions) => {
      const object = objectOf(kind, id, options);
      const difference = await withHistory((operator) => readDifference(operator, object, from, to));
      show({ json: difference, text: differenceText(difference, terminalColumns()) }, options);
    });
};

const addBlame = (program: Command): void => {
  ofObject(program, 'blame')
    .description('show for each field of an object who set it, when, and the value before')
    .action(async (kind: Kind, id: string, options: ObjectOptions) => {
      const body = objectOf(kind, id, options);
      const blame = await withHistory((operator) => operator.request('POST /operator/blame', { body }));
      show({ json: blame, text: blameText(blame, terminalColumns()) }, options);
    });
};

/** The words that the server accepts. It refuses any other. */
type Kind = HistoryObject['kind'];

/** Adds a command about an object. */
const ofObject = (program: Command, name: string): Command =>
  withJson(program.command(name))
    .argument('<kind>', 'pinpoint, list, category, event or application')
    .argument('<id>', 'its id')
    .requiredOption('--account <name>', 'account that the object belongs to');

const objectOf = (kind: Kind, id: string, { account }: ObjectOptions): HistoryObject => {
  if (kind === 'application') return { account, kind, id };
  return { account, kind, id: idOfNumbered(kind, id) };
};
