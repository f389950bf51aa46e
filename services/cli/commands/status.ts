import type { Command } from 'commander';
import { withInstallation } from '../installation.ts';
import { described, type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

export const addStatus = (program: Command): void => {
  withJson(program.command('status'))
    .description('show the state of the installation: readiness, addresses, positions of log, read models and history')
    .action(async (options: OutputOptions) => {
      const status = await withInstallation((operator) => operator.request('GET /operator/status'));
      show({ json: status, text: described(status) }, options);
    });
};
