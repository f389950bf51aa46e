import type { Session } from '../../api/session.ts';
import { type Random, randomFrom } from '../random.ts';
import { nothing } from './expected-content.ts';
import { createIdRegistry, type IdRegistry } from './id-book.ts';
import { listBody } from './objects.ts';
import { type Observed, observe } from './observe.ts';
import { sharedName } from './operations.ts';
import { type ContendedPinpoint, createRegister } from './register.ts';
import { acknowledge, sendOperation, work } from './work.ts';
import { type Writer, writerNamed } from './writer.ts';

const writersMax = 24;
const sharedLists = 2;
const registers = 2;
const writersOfRegister = 3;

/** Many concurrent writers on all resources, and the check of what they wrote. */
export type Load = {
  readonly ids: IdRegistry;
  readonly writers: readonly Writer[];
  /** Runs the writers until requests fail. Requests may fail only once `ending` returns true. */
  readonly run: (session: Session, ending: () => boolean) => Promise<void>;
  /** Called after the end. Repeats requests that have an Idempotency-Key, then compares the content of the server with the expected
   * content. */
  readonly check: (session: Session) => Promise<void>;
  readonly acknowledged: () => number;
};

export const prepareLoad = async (session: Session, random: Random): Promise<Load> => {
  const ids = createIdRegistry();
  const shared = new Map<string, number>();
  for (let list = 1; list <= sharedLists; list += 1) {
    const key = `${sharedName}.${list}`;
    shared.set(`lists/${key}`, (await session.create('/lists', listBody(key, 1))).id);
  }
  const contended: ContendedPinpoint[] = [];
  for (let register = 1; register <= registers; register += 1) contended.push(await createRegister(session, `${sharedName}.r${register}`));
  const writers = Array.from({ length: writersMax }, (_, nth) => {
    const own = randomFrom(random.below(2 ** 32));
    return writerNamed(`w${nth + 1}`, own, ids, shared);
  });
  return {
    ids,
    writers,
    run: async (session, ending) => {
      const overwriting = contended.flatMap((register) =>
        Array.from({ length: writersOfRegister }, () => overwrite(register, session, ending)),
      );
      await Promise.all([...overwriting, ...writers.map((writer) => work(writer, session, ending))]);
    },
    check: async (session) => {
      await Promise.all(writers.map((writer) => repeat(writer, session)));
      const observed = await observe(session, ids);
      for (const owner of observed.contentByWriter.keys()) expect([sharedName, ...writers.map(({ name }) => name)]).toContain(owner);
      for (const writer of writers) settle(writer, observed);
      for (const register of contended) await register.settle(session);
    },
    acknowledged: () => writers.reduce((sum, writer) => sum + writer.acknowledged, 0),
  };
};

const overwrite = async (register: ContendedPinpoint, session: Session, ending: () => boolean): Promise<void> => {
  while (!ending()) {
    await register.write(session).catch((error) => {
      if (!ending()) throw error;
    });
  }
};

/** Checks that a repeated request gets the same response as before. A request that was not answered is executed now, or has been executed
 * before. */
const repeat = async (writer: Writer, session: Session): Promise<void> => {
  const { pending, lastKeyedRequest } = writer;
  if (lastKeyedRequest !== undefined) {
    const { status, text } = await sendOperation(session, lastKeyedRequest.operation);
    expect({ request: lastKeyedRequest.operation, status, text }).toEqual({
      request: lastKeyedRequest.operation,
      status: lastKeyedRequest.answer.status,
      text: lastKeyedRequest.answer.text,
    });
  }
  if (pending?.idempotencyKey !== undefined) acknowledge(writer, pending, await sendOperation(session, pending));
};

/** Checks that the content of a writer is what was acknowledged, with or without the one request that was not answered. */
const settle = (writer: Writer, { contentByWriter, numbers }: Observed): void => {
  const { name, content, pending } = writer;
  const has = contentByWriter.get(name) ?? nothing;
  if (pending === undefined) expect({ writer: name, has }).toEqual({ writer: name, has: content });
  else expect([content, pending.after]).toContainEqual(has);
  writer.pending = undefined;
  writer.content = has;
  for (const line of Object.keys(has)) {
    const id = numbers.get(line);
    if (id !== undefined) writer.idsByLine.set(line, id);
  }
};
