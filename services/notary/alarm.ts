import { loggedEvery } from './limits.ts';
import type { NotaryLogger } from './ports.ts';
import type { StatusKeeper } from './status.ts';

/** Says that the notary signs nothing, and why: in its status, and as an error in the log of the process. */
export type Alarm = {
  readonly raise: (error: Error) => void;
  readonly clear: () => void;
};

/** Logs an error when its cause is another one than before, and from time to time. */
export const createAlarm = (status: StatusKeeper, logger: NotaryLogger): Alarm => {
  let times = 0;
  return {
    raise: (error) => {
      const reason = error.message;
      times = status.now().reason === reason ? times + 1 : 0;
      status.change({ state: 'refusing', reason });
      if (times % loggedEvery === 0) logger.error({ err: error }, `the notary signs nothing: ${reason}`);
    },
    clear: () => {
      if (status.now().state === 'refusing') logger.info({}, 'the notary signs again');
      status.change({ state: 'signing', reason: undefined });
    },
  };
};
