import type { Logger } from 'pino';
import type { Supervision } from './child.ts';
import { replicasIn, type Upstreams, without } from './upstreams.ts';

export type ReplicasOptions = {
  /** All replicas, as in the first configuration of the edge. */
  readonly upstreams: Upstreams;
  /** The address (host:port) of each process that receives requests of clients, by process name. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Makes the edge send requests to these replicas only; resolves once it does. */
  readonly route: (upstreams: Upstreams) => Promise<void>;
  /** Aborts when all processes stop: the edge sends no more requests then. */
  readonly stopped: AbortSignal;
  readonly logger: Logger;
};

/** Keeps the edge from sending requests to replicas that stop, one change at a time. The last replica of a service stays in the
 * configuration: it answers its clients until it ends, and they reach it again as soon as it is restarted. */
export const superviseReplicas = ({ upstreams, addresses, route, stopped, logger }: ReplicasOptions): Supervision => {
  const removed = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  const change = (to: () => boolean): Promise<void> => {
    last = last.then(async () => {
      if (stopped.aborted || !to()) return;
      await route(without(upstreams, removed)).catch((error: Error) =>
        logger.error({ err: error }, 'the configuration of the edge could not be changed to the running replicas'),
      );
    });
    return last;
  };
  const remove = (name: string, address: string): boolean => {
    if (removed.has(address)) return false;
    if (replicasIn(without(upstreams, removed), address) === 1) {
      logger.warn({ process: name }, 'the last replica of a service stops: the edge still sends requests to it');
      return false;
    }
    removed.add(address);
    return true;
  };

  return {
    stopping: async (name) => {
      const address = addresses.get(name);
      if (address !== undefined) await change(() => remove(name, address));
      return !stopped.aborted;
    },
    ready: (name) => {
      const address = addresses.get(name);
      if (address !== undefined) void change(() => removed.delete(address));
    },
  };
};
