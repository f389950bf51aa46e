import type { Answer } from '../../api/client.ts';
import type { Session, Thing } from '../../api/session.ts';
import type { Kind } from './objects.ts';
import { choose } from './operations.ts';
import type { Operation, Writer } from './writer.ts';

/** Sends an operation. Each call sends the identical request. */
export const sendOperation = (session: Session, { method, path, body, idempotencyKey }: Operation): Promise<Answer> =>
  session.send(method, path, {
    headers: { 'Content-Type': 'application/json', ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** Records an acknowledged operation in the state of the writer.
 * @throws if the response does not have the expected status */
export const acknowledge = (writer: Writer, operation: Operation, answer: Answer): void => {
  const { method, path, body, status, creates, idempotencyKey, after } = operation;
  if (answer.status !== status) throw new Error(`${method} ${path} ${JSON.stringify(body)} answered ${answer.status}: ${answer.text}`);
  writer.pending = undefined;
  writer.content = after;
  writer.acknowledged += 1;
  if (idempotencyKey !== undefined) writer.lastKeyedRequest = { operation, answer };
  if (creates === undefined) return;
  const thing: Thing = JSON.parse(answer.text);
  recordId(writer, creates.kind, creates.key, thing.id);
  const file = thing['media_url'] ?? thing['image_url'];
  if (typeof file === 'string') writer.files.add(new URL(file).pathname);
};

const recordId = ({ idsByLine, ids }: Writer, kind: Kind, key: string, id: number): void => {
  ids.record(kind, id, key);
  idsByLine.set(`${kind}/${key}`, id);
};

/** Executes operations until a request fails. A failure before `ending` returns true is an error. */
export const work = async (writer: Writer, session: Session, ending: () => boolean): Promise<void> => {
  while (!ending()) {
    const operation = await choose(writer);
    writer.pending = operation;
    const answer = await sendOperation(session, operation).catch((error) => {
      if (!ending()) throw error;
    });
    if (answer === undefined) return;
    acknowledge(writer, operation, answer);
  }
};
