import type { Verification } from './api/answers.ts';

/** Returns the result of a verification. The installation is sound if every check was made and found nothing. */
export const verificationOf = ({ log, clocks, readModels, history, checkpoint, unchecked }: Omit<Verification, 'sound'>): Verification => ({
  sound: log.length === 0 && readModels.equal && history?.equal !== false && unchecked.length === 0,
  log,
  clocks,
  readModels,
  ...(history === undefined ? {} : { history }),
  ...(checkpoint === undefined ? {} : { checkpoint }),
  unchecked,
});

/** The start of the sentence about a history that was not compared. The reason follows. */
export const historyNotCompared = 'The history was not compared with the log';

/** The start of the sentence about read models that were not compared. The reason follows. */
export const notCompared = 'The read models were not compared with the log';

/** The start of the sentence about a log that was not compared with checkpoints. The reason follows. */
export const checkpointsNotCompared = 'The log was not compared with checkpoints';
