import { fields, grouped, table } from '../terminal/output.ts';
import type { UndoReport, UndoResult } from './undo.ts';

/** Returns the text of a report: a table with a line for each object, and the counts. */
export const reportText = ({ id, dry_run: isDryRun, report }: UndoReport): string => {
  const { results, changes, objects, undone, partly, kept, first, last, applications } = report;
  const counts = [
    ['changes', `${grouped(changes ?? 0)} of ${grouped(objects ?? 0)} objects`],
    ['made', first === null ? 'none' : `${first} to ${last}, by ${applications.join(', ')}`],
    [isDryRun ? 'would be undone' : 'undone', `${grouped(undone)}, in part ${grouped(partly)}, kept ${grouped(kept)}`],
    [isDryRun ? 'dry run' : 'Correlation-Id', isDryRun ? 'nothing was changed; --run undoes it' : id],
  ] as const;
  const rows = results.map((result) => [nameOf(result), result.outcome, result.reason ?? '', keptOf(result)]);
  const shown = rows.length === 0 ? [] : [table(['OBJECT', 'OUTCOME', 'REASON', 'KEPT'], rows)];
  return [...shown, fields(counts)].join('\n\n');
};

const nameOf = ({ object: { kind, id } }: UndoResult): string => `${kind}/${id}`;

const keptOf = ({ fields: names, pinpoints }: UndoResult): string =>
  [...names, ...pinpoints.map((pinpoint) => `pinpoints/${pinpoint}`)].join(', ');
