import { randomUUID } from 'node:crypto';
import type { Api } from '../client/api.ts';
import { jsonOf } from '../client/http.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { messages } from './messages.ts';
import type { Note } from './note.ts';

/** What a load says about its changes. */
export type Changeset = { readonly comment: string; readonly by?: string };

/** Opens a changeset, and returns its id.
 * @throws CommandFailed where the API refuses it */
export const openChangeset = async (api: Api, { comment, by }: Changeset): Promise<string> => {
  const body = JSON.stringify({ comment, by });
  const answer = await api.send({ method: 'POST', root: '/audit/v1', path: '/changesets', body, idempotencyKey: randomUUID() });
  const { id } = jsonOf<{ readonly id?: string }>(answer) ?? {};
  if (answer.status === 201 && id !== undefined) return id;
  const problems = messages(jsonOf(answer) ?? answer.text.slice(0, 500)).join(' ');
  throw new CommandFailed(answer.status === 400 ? 'usage' : 'refused', `The changeset was refused (${answer.status}): ${problems}`);
};

/** Checks that a load that is resumed can have a changeset. Its earlier rows cannot join a new one.
 * @throws CommandFailed */
export const checkResumed = (earlier: Note | undefined, changeset: Changeset | undefined): void => {
  if (earlier === undefined || earlier.changeset || changeset === undefined) return;
  throw new CommandFailed(
    'refused',
    `This file was loaded without a comment before, up to row ${earlier.row}. Its changes have the Correlation-Id ${earlier.correlation}. Run the command again without --comment.`,
  );
};
