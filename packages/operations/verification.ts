import type { Verification } from './api/answers.ts';

/** Returns the result of a verification. The installation is sound if every check was made and found nothing. */
export const verificationOf = ({ log, readModels, unchecked }: Omit<Verification, 'sound'>): Verification => ({
  sound: log.length === 0 && readModels.equal && unchecked.length === 0,
  log,
  readModels,
  unchecked,
});

/** The start of the sentence about read models that were not compared. The reason follows. */
export const notCompared = 'The read models were not compared with the log';
