import { type Command, InvalidArgumentError } from 'commander';
import type { OutputOptions } from '../terminal/output.ts';
import { withJson } from './options.ts';

type NewOptions = OutputOptions & { readonly name: string; readonly files?: string };
type ExportOptions = OutputOptions & { readonly name: string; readonly values?: string };

const usualName = 'waymark-keys';
/** The names that Kubernetes accepts for a Secret. */
const secretNames = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Adds the commands that make the keys of a cluster for its processes elsewhere. */
export const addKeys = (program: Command): void => {
  const keys = program.command('keys').description('the keys of a cluster on Kubernetes, or in containers');
  withName(withJson(keys.command('new')))
    .description('print new keys as the manifest of a Kubernetes Secret, or write them to files')
    .option('--files <DIRECTORY>', 'write one file for each key instead; existing files are never overwritten')
    .addHelpText('after', '\nExample: waymark keys new | kubectl create -f -      (create never overwrites)')
    .action(async ({ name, files, ...options }: NewOptions) => {
      const { showNewKeys, writeNewKeys } = await import('../keys/show.ts');
      if (files === undefined) showNewKeys(name, options);
      else writeNewKeys(files, options);
    });
  withName(withJson(keys.command('export')))
    .description('print the keys of `waymark cluster` as the manifest of a Kubernetes Secret')
    .option('--values <FILE>', "also write values for the chart: the cluster's topic, database, prefix and place of files; no credentials")
    .addHelpText('after', '\nRun it with the environment of `waymark cluster`, as its user.')
    .action(async ({ name, values, ...options }: ExportOptions) => {
      const { exportKeys } = await import('../keys/show.ts');
      exportKeys(name, values, options);
    });
};

const withName = (command: Command): Command => command.option('--name <NAME>', 'name of the Secret', secretName, usualName);

const secretName = (text: string): string => {
  if (secretNames.test(text)) return text;
  throw new InvalidArgumentError('A name has at most 253 lower-case letters, digits, hyphens and dots.');
};
