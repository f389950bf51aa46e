import type { Command } from 'commander';

export const addCluster = (program: Command): void => {
  program
    .command('cluster')
    .description('start every service of a cluster on this machine, behind nginx; the environment names the engines')
    .addHelpText('after', '\nOnce it is ready, it prints its addresses. It runs until it is stopped (Ctrl-C, SIGTERM).')
    .action(async () => {
      const { runCluster } = await import('@waymark/cluster/main.ts');
      await runCluster(process.env);
    });
};
