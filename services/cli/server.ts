import type { RunOptions } from '@waymark/standalone/main.ts';

/** The file with which the server begins: in a bundle, that of the bundle, which shares no code with the command line. */
const entry = new URL('../standalone/main.ts', import.meta.url);

/** Runs the server of the standalone form in this process, until SIGTERM or SIGINT stops it. */
export const runServer = async (options?: RunOptions): Promise<void> => {
  const server = (await import(entry.href)) as typeof import('@waymark/standalone/main.ts');
  await server.runServer(process.env, options);
};
