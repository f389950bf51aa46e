import type { Api } from '../client/api.ts';
import { type Answer, jsonOf } from '../client/http.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import type { Outcome } from './ledger.ts';
import type { Row } from './row.ts';

/** The statuses of a response that blames this row only. */
const rowFaultStatuses = new Set([400, 413, 422]);

/** Creates a pinpoint from a row. The same row of the same file has the same key, so it is created once, however often it is sent.
 * @throws CommandFailed where the response shows that other rows would fail as well */
export const sendRow = async (api: Api, digest: string, row: Row): Promise<Outcome> => {
  const { row: number, line, end } = row;
  if ('problem' in row) return { row: number, line, end, problems: { detail: row.problem } };
  const idempotencyKey = `load-${digest}-${number}`;
  const answer = await api.send({ method: 'POST', path: '/pinpoints', body: row.body, idempotencyKey });
  if (answer.status === 201) return { row: number, line, end };
  if (rowFaultStatuses.has(answer.status)) return { row: number, line, end, problems: problemsOf(answer) };
  throw new CommandFailed('refused', `Row ${number} (line ${line}): the API answered ${answer.status}: ${answer.text.slice(0, 500)}`);
};

const problemsOf = (answer: Answer): unknown => jsonOf(answer) ?? { detail: answer.text.slice(0, 500) };
