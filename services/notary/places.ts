import { PlaceUnavailable } from '@waymark/checkpoints/place.ts';
import { SigningRefused } from './refused.ts';

/** Runs a call of a place.
 * @throws SigningRefused where the place cannot be used */
export const reachable = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PlaceUnavailable) throw new SigningRefused(error.message, { cause: error });
    throw error;
  }
};

/** Returns the sentence for a place that lacks what was published there. */
export const lost = (name: string, number: number): string =>
  `${name} has lost checkpoint ${number} that was published there. Restore it, or name another place.`;
