import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Operator } from '../client/operator.ts';
import { withInstallation } from '../installation.ts';
import { renewedLookEveryMs, renewedWithinMs } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

const details = `
For an installation that was put back to an earlier state: a cluster whose event
store was restored from a backup, or a data directory that came whole from a
snapshot of its disk. What came after that state is lost, and may be known to
others. Ids go on 1,000,000,000 further, tokens, cursors and entity tags of
before count no more, and the read side is made anew. Writes have to be closed
(waymark writes close), and stay so until they are opened again. Run again, it
does all of it again, and no harm.

A standalone installation does this by itself when it is started on a log that is
older than what was made from it, and when a backup is restored.
`;

export const addRenew = (program: Command): void => {
  withJson(program.command('renew'))
    .description('give the log a new name after it was put back, so that nothing of what it lost counts any more')
    .addHelpText('after', details)
    .action(async (options: OutputOptions) => {
      const { seconds, ...done } = await withInstallation(renewed);
      const text = `Renewed: the log is ${done.incarnation}, after ${done.before}; the installation is ready again after ${seconds.toFixed(1)} s.
Clients ask for new tokens. Writes are closed: \`waymark writes open\` opens them.`;
      show({ json: { ...done, seconds }, text }, options);
    });
};

type Renewed = { readonly before: string; readonly incarnation: string };

/** Renews the log, and waits until the installation is ready again. In a cluster every process restarts meanwhile, including the operator
 * service. */
const renewed = async (operator: Operator): Promise<Renewed & { readonly seconds: number }> => {
  const startedMs = performance.now();
  const done = await operator.ask<Renewed>('POST', '/renew');
  while (performance.now() - startedMs < renewedWithinMs) {
    await sleep(renewedLookEveryMs);
    const status = await operator.ask<{ readonly ready: boolean; readonly incarnation?: string }>('GET', '/status').catch(unlessAway);
    if (status?.ready && status.incarnation === done.incarnation) return { ...done, seconds: (performance.now() - startedMs) / 1_000 };
  }
  throw new CommandFailed(
    'unreachable',
    'The log is renewed, but the installation is not ready yet: `waymark status` says what is missing.',
  );
};

const unlessAway = (error: unknown): undefined => {
  if (!(error instanceof CommandFailed && error.ending === 'unreachable')) throw error;
};
