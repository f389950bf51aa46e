import type { Logger } from 'pino';
import type { Supervision } from './child.ts';
import { replicasIn, type Upstreams, without } from './upstreams.ts';

export type ReplicasOptions = {
  /** All of them, as the edge has them at first. */
  readonly upstreams: Upstreams;
  /** Address (host:port) of each process that clients send requests to, by its name. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Has the edge send requests to these, and to no others; resolves once it does. */
  readonly route: (upstreams: Upstreams) => Promise<void>;
  /** Aborts when all stop: no request comes from the edge then. */
  readonly stopped: AbortSignal;
  readonly logger: Logger;
};

/** Keeps the edge from sending requests to replicas that stop, one change at a time. The last replica of a service stays: its clients are
 * answered by it until it ends, and find it again as soon as it is back. */
export const superviseReplicas = ({ upstreams, addresses, route, stopped, logger }: ReplicasOptions): Supervision => {
  const removed = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  const change = (to: () => boolean): Promise<void> => {
    last = last.then(async () => {
      if (stopped.aborted || !to()) return;
      await route(without(upstreams, removed)).catch((error: Error) =>
        logger.error({ err: error }, 'the edge was not told of its replicas'),
      );
    });
    return last;
  };
  const remove = (name: string, address: string): boolean => {
    if (removed.has(address)) return false;
    if (replicasIn(without(upstreams, removed), address) === 1) {
      logger.warn({ process: name }, 'the last replica of a service stops: requests are still sent to it');
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
