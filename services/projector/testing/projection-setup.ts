import { model } from './model.ts';

type World = ReturnType<typeof model>;

/** Creates setups that end with the test. */
export const useProjectionSetups = () => {
  const made: World[] = [];
  afterEach(() => Promise.all(made.splice(0).map(({ stop }) => stop())));
  return {
    newSetup: (options?: Parameters<typeof model>[0]): World => {
      const clusterContext = model(options);
      made.push(clusterContext);
      return clusterContext;
    },
    appendTo: ({ log }: World, ...partitions: readonly number[]): void => {
      for (const partition of partitions) log.append(partition);
    },
  };
};
