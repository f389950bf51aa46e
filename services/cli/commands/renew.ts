import { setTimeout as sleep } from 'node:timers/promises';
import type { Renewed } from '@waymark/operations/api/answers.ts';
import type { Command } from 'commander';
import type { Operator } from '../client/operator.ts';
import { withInstallation } from '../installation.ts';
import { renewedPollEveryMs, renewedWithinMs } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { type ByOption, withBy, withJson } from './options.ts';

const details = `
For an installation that was rolled back to an earlier state: a cluster whose event
store was restored from a backup, or a data directory that was restored as a whole
from a snapshot of its disk. Everything after that state is lost, but others may
know of it. Ids continue 1,000,000,000 further, earlier tokens, cursors and entity
tags become invalid, and the read models are rebuilt. Close writes first
(waymark writes close); they stay closed until they are opened again. The command
can be run again: it repeats everything, and does no harm.

A standalone installation does this by itself when it starts on a log that is
older than the data that was made from it, and when a backup is restored.
`;

export const addRenew = (program: Command): void => {
  withBy(withJson(program.command('renew')))
    .description('give the log a new name after it was rolled back; tokens, cursors and entity tags from before become invalid')
    .addHelpText('after', details)
    .action(async ({ by, ...options }: OutputOptions & ByOption) => {
      const { seconds, ...done } = await withInstallation((operator) => renewed(operator.as(by)));
      const text = `Renewed: the log is now ${done.incarnation}; before, it was ${done.before}. The installation is ready again after ${seconds.toFixed(1)} s.
Clients have to request new tokens. Writes are closed: \`waymark writes open\` opens them.`;
      show({ json: { ...done, seconds }, text }, options);
    });
};

/** Renews the log, and waits until the installation is ready again. In a cluster every process restarts meanwhile, including the operator
 * service. */
const renewed = async (operator: Operator): Promise<Renewed & { readonly seconds: number }> => {
  const startedMs = performance.now();
  const done = await operator.request('POST /operator/renew');
  while (performance.now() - startedMs < renewedWithinMs) {
    await sleep(renewedPollEveryMs);
    const status = await operator.request('GET /operator/status').catch(undefinedWhileUnreachable);
    if (status?.ready && status.incarnation === done.incarnation) return { ...done, seconds: (performance.now() - startedMs) / 1_000 };
  }
  throw new CommandFailed(
    'unreachable',
    'The log is renewed, but the installation is not ready yet: `waymark status` shows what is missing.',
  );
};

const undefinedWhileUnreachable = (error: unknown): undefined => {
  if (!(error instanceof CommandFailed && error.ending === 'unreachable')) throw error;
};
