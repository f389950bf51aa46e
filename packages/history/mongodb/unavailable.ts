import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { HistoryUnavailable } from '../history.ts';

/** Throws the unavailability of the database as one of the history: both share the code that calls it.
 * @throws HistoryUnavailable, what `use` throws */
export const asHistoryUnavailable = async <Value>(use: () => Promise<Value>): Promise<Value> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ReadModelsUnavailable) throw new HistoryUnavailable(error.message, { cause: error });
    throw error;
  }
};
