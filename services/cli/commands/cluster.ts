import type { Command } from 'commander';

export const addCluster = (program: Command): void => {
  program
    .command('cluster')
    .description('start every service of a cluster on this machine, behind nginx; the engines are named by the environment')
    .addHelpText('after', '\nReady, it prints where things are. It runs until it is told to stop (Ctrl-C, SIGTERM).')
    .action(async () => {
      const { runCluster } = await import('@waymark/cluster/main.ts');
      await runCluster(process.env);
    });
};
