import { bodyOf, type Session } from '../api/session.ts';
import { type Content, contentOf } from './content.ts';
import { createSampleContent } from './sample-content.ts';
import { newSession, type Server } from './server.ts';
import type { TestServers } from './test-servers.ts';

type Verification = {
  readonly sound: boolean;
  readonly log: readonly string[];
  readonly readModels: { readonly equal: boolean; readonly position: number };
  /** Of 0.3.0 and later. A history that differs makes the installation unsound. */
  readonly history?: { readonly equal: boolean };
  readonly unchecked: readonly string[];
};

export const verification = async ({ operator }: Server): Promise<Verification> =>
  bodyOf<Verification>(await operator('POST', '/verify'), 200);

/** Checks that the log is intact, and that the read models match it, and the history if the release keeps one. */
export const expectSound = async (server: Server): Promise<void> => {
  expect(await verification(server)).toMatchObject({
    sound: true,
    log: [],
    readModels: { equal: true },
    unchecked: [],
  });
};

type State = { readonly incarnation: string; readonly head: number; readonly readPosition: number };

export const stateOf = async ({ operator }: Server): Promise<State> => bodyOf<State>(await operator('GET', '/status'), 200);

export const backUp = async ({ operator }: Server, into: string): Promise<void> => {
  bodyOf(await operator('POST', '/backup', { directory: into }), 200);
};

/** An installation whose server is stopped. */
export type AtRest = { readonly directory: string; readonly session: Session; readonly content: Content };

export const atRest = async (ground: TestServers, name: string): Promise<AtRest> => {
  const directory = ground.directory();
  const server = await ground.start(directory);
  const session = await newSession(server);
  await createSampleContent(session, name);
  const content = await contentOf(session);
  await server.stop();
  return { directory, session, content };
};

export type BackedUp = AtRest & { readonly backup: string; readonly backedUpContent: Content };

/** Creates an installation that has changed since its backup was made. */
export const backedUp = async (ground: TestServers): Promise<BackedUp> => {
  const directory = ground.directory();
  const backup = ground.directory();
  const server = await ground.start(directory);
  const session = await newSession(server);
  await createSampleContent(session, 'first');
  const backedUpContent = await contentOf(session);
  await backUp(server, backup);
  await createSampleContent(session, 'second');
  const content = await contentOf(session);
  await server.stop();
  return { directory, session, content, backup, backedUpContent };
};
