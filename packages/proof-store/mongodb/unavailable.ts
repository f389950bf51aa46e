import { orUnavailable } from '@waymark/read-models/mongodb/client.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { ProofsUnavailable } from '../proof-store.ts';

/** Throws an error of the driver as an unavailability of the proof store.
 * @throws ProofsUnavailable, what `use` throws */
export const asProofsUnavailable = async <Value>(use: () => Promise<Value>): Promise<Value> => {
  try {
    return await orUnavailable(use);
  } catch (error) {
    if (error instanceof ReadModelsUnavailable) throw new ProofsUnavailable(error.message, { cause: error });
    throw error;
  }
};
