import { type Service, serviceEntries } from '@waymark/cluster/service-entries.ts';
import type { Command } from 'commander';
import { runServer } from '../server.ts';

/** The services of a cluster; `addNotary` adds the notary, which has commands, too. */
const services: Readonly<Record<Exclude<Service, 'notary'>, string>> = {
  commands: 'run a command service, which answers writes',
  relay: 'run the relay, which passes events from the event store to Kafka',
  projector: 'run a projector, which fills the read models',
  'query-gateway': 'run a query gateway, which answers reads',
  auth: 'run the token endpoint',
  auditor: 'run the auditor, which answers reads under /audit/v1',
  operator: 'run the operator API of the cluster',
  edge: 'run nginx as the edge, in front of the Services of the cluster',
};

const details = `
The environment has the settings: see docs/configuration.md. The process runs until SIGTERM or SIGINT stops it.
It then finishes the requests in progress.`;

/** Adds the commands that run one process each, as a container does. */
export const addServices = (program: Command): void => {
  program
    .command('standalone')
    .description('run the server as `start` does, but print nothing and create no application')
    .addHelpText('after', details)
    .action(() => runServer());
  for (const [name, description] of Object.entries(services))
    program
      .command(name)
      .description(`${description} (one process of a cluster)`)
      .addHelpText('after', details)
      .action(() => runService(name as keyof typeof services));
};

/** Runs a service of a cluster in this process. */
export const runService = async (name: Service): Promise<void> => {
  await import(serviceEntries[name].href);
};
