import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { runServer } from '../server.ts';

export const addStart = (program: Command): void => {
  program
    .command('start')
    .description('run the server until SIGINT or SIGTERM stops it')
    .option('--demo', 'load a demonstration map once the server is ready (see `waymark seed --help`)')
    .action(async ({ demo }: { readonly demo?: boolean }) => {
      await runServer({ announces: true, ...(demo && { onReady: seed }) });
    });
};

/** Loads the demonstration map in a separate process. So the server does not need the memory that the map's sources take, and it continues
 * to serve if loading fails. */
const seed = async ({ url, token }: { readonly url: string; readonly token: string }): Promise<void> => {
  const environment = { ...process.env, WAYMARK_OPS_URL: url, WAYMARK_OPS_TOKEN: token };
  const commandLine = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
  const child = spawn(process.execPath, [commandLine, 'seed', '--demo'], { env: environment, stdio: 'inherit' });
  const stop = (): boolean => child.kill();
  process.once('exit', stop);
  await once(child, 'exit');
  process.off('exit', stop);
};
