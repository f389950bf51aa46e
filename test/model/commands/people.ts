import fc from 'fast-check';
import { openSession, type Send, type Session } from '../../api/session.ts';
import type { Server } from '../server.ts';

/** The callers: two applications of one account, two more of it with only one scope each, one of another account, and two without a valid
 * token. */
export const names = ['ann', 'abe', 'reader', 'writer', 'bob', 'stranger', 'nobody'] as const;
export type Name = (typeof names)[number];

export type Person = {
  readonly name: Name;
  readonly account: string;
  readonly scopes: readonly string[];
  readonly session: Session;
};

export type People = Readonly<Record<Name, Person>>;

/** Creates new accounts, so that runs are independent of each other. */
export const newPeople = async (server: Server, run: string): Promise<People> => {
  const person = async (name: Name, account: string, scopes: readonly string[]): Promise<Person> => {
    const session = await server.session(await server.application(`${account}-${run}`, scopes));
    return { name, account, scopes, session };
  };
  const [ann, abe, reader, writer, bob] = await Promise.all([
    person('ann', 'a', ['read', 'write']),
    person('abe', 'a', ['read', 'write']),
    person('reader', 'a', ['read']),
    person('writer', 'a', ['write']),
    person('bob', 'b', ['read', 'write']),
  ]);
  const none = { account: '', scopes: [] };
  const stranger: Person = { ...none, name: 'stranger', session: openSession(server.send, ann.session.application, 'no-such-token') };
  const nobody: Person = { ...none, name: 'nobody', session: openSession(anonymously(server.send), ann.session.application, '') };
  return { ann, abe, reader, writer, bob, stranger, nobody };
};

const anonymously =
  (send: Send): Send =>
  (call) => {
    const { Authorization: _, ...headers } = call.headers ?? {};
    return send({ ...call, headers });
  };

export const anybody: fc.Arbitrary<Name> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Name>('ann') },
  { weight: 4, arbitrary: fc.constant<Name>('abe') },
  { weight: 6, arbitrary: fc.constant<Name>('bob') },
  { weight: 1, arbitrary: fc.constantFrom<Name[]>('reader', 'writer', 'stranger', 'nobody') },
);
