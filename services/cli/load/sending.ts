import type { Api } from '../client/api.ts';
import { type Answer, jsonOf } from '../client/http.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import type { Outcome } from './ledger.ts';
import type { Row } from './row.ts';

/** What is wrong with the row, and with nothing else. */
const rowsFault = new Set([400, 413, 422]);

/** Makes a pinpoint of a row. The same row of the same file has the same key: it is made once, however often it is sent.
 * @throws CommandFailed where the answer says that the others would fare no better */
export const sendRow = async (api: Api, digest: string, row: Row): Promise<Outcome> => {
  const { row: number, line, end } = row;
  if ('problem' in row) return { row: number, line, end, problems: { detail: row.problem } };
  const idempotencyKey = `load-${digest}-${number}`;
  const answer = await api.send({ method: 'POST', path: '/pinpoints', body: row.body, idempotencyKey });
  if (answer.status === 201) return { row: number, line, end };
  if (rowsFault.has(answer.status)) return { row: number, line, end, problems: problemsOf(answer) };
  throw new CommandFailed('refused', `Row ${number} (line ${line}): the API answered ${answer.status}: ${answer.text.slice(0, 500)}`);
};

const problemsOf = (answer: Answer): unknown => jsonOf(answer) ?? { detail: answer.text.slice(0, 500) };
