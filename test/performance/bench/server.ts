import { statusOf, until } from './client.ts';
import { freePort, type Launched } from './process.ts';
import type { Subject } from './subjects.ts';

export type Server = Launched & { readonly directory: string; readonly base: string; readonly token: string };

export const startServer = async (subject: Subject, directory: string): Promise<Server> => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const launched = subject.launch(directory, port);
  await until(base, async () => {
    launched.assertRunning();
    return [200, 401].includes(await statusOf(`${base}/v3.0/pinpoints`, 'none'));
  });
  return { ...launched, directory, base, token: await subject.token(directory, base) };
};

export type Restarted = Launched & { readonly base: string; readonly seconds: number };

/** Restarts a server, and measures the time from the start of the process to its first page, with a token of an earlier run. */
export const restart = async (subject: Subject, { directory, token }: Server): Promise<Restarted> => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const from = performance.now();
  const launched = subject.launch(directory, port);
  await until('first page', async () => {
    launched.assertRunning();
    return (await statusOf(`${base}/v3.0/pinpoints`, token)) === 200;
  });
  return { ...launched, base, seconds: (performance.now() - from) / 1_000 };
};
