import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Launched, launch } from './process.ts';
import { launchWaymark, waymarkToken } from './waymark.ts';

/** A program that is measured. It serves pinpoints on a port. */
export type Subject = {
  readonly launch: (directory: string, port: number) => Launched;
  /** Returns a bearer token that the running server accepts, and also accepts after a restart on the directory. */
  readonly token: (directory: string, base: string) => Promise<string>;
};

export type PreparedAnswer = {
  readonly headers: readonly (readonly [string, string | readonly string[] | undefined])[];
  readonly body: string;
};

const crudProgram = fileURLToPath(new URL('./baseline/crud.ts', import.meta.url));
const bareProgram = fileURLToPath(new URL('./baseline/bare.ts', import.meta.url));
const crudToken = 'a-token-of-the-benchmark';

/** Keeps what Node compiled for later starts, as Waymark does. Without it, each start would load the compiler that strips the types. */
const compiledOnce = (directory: string) => ({ NODE_COMPILE_CACHE: join(directory, 'compile-cache') });

export const waymark: Subject = { launch: (directory, port) => launchWaymark(directory, port), token: waymarkToken };

export const crud: Subject = {
  launch: (directory, port) =>
    launch([crudProgram], directory, {
      ...compiledOnce(directory),
      PORT: String(port),
      CRUD_FILE: join(directory, 'crud.db'),
      CRUD_TOKEN: crudToken,
    }),
  token: async () => crudToken,
};

/** Returns a subject that answers with the exact bytes of another server's response. */
export const bare = (answer: PreparedAnswer): Subject => ({
  launch: (directory, port) => {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'answer.json');
    writeFileSync(file, JSON.stringify(answer));
    return launch([bareProgram], directory, { ...compiledOnce(directory), PORT: String(port), BARE_ANSWER: file });
  },
  token: async () => crudToken,
});
