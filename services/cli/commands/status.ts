import type { Command } from 'commander';
import { withInstallation } from '../installation.ts';
import { described, type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

export const addStatus = (program: Command): void => {
  withJson(program.command('status'))
    .description('show the state of the installation: readiness, addresses, positions of log, read models and history')
    .action(async (options: OutputOptions) => {
      await withInstallation(async (operator, isServed) => {
        const status = await operator.request('GET /operator/status');
        if (!isServed) process.stderr.write('waymark: No server runs. The command opened the data directory itself.\n');
        show({ json: status, text: described(status) }, options);
      });
    });
};
