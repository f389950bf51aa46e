import type { UndoQuestion, UndoReply } from '@waymark/history/reading/undo/undo-questions.ts';
import { deletedObject, forbidden, gone, notFound, unavailable } from '@waymark/http/errors.ts';
import type { Commands } from '../service.ts';

/** Asks the history for what is to be restored or undone.
 * @throws HttpError 403, 404, 410, 503; HistoryUnavailable */
export const askSource = async ({ askHistory }: Pick<Commands, 'askHistory'>, question: UndoQuestion): Promise<UndoReply> => {
  const reply = await askHistory(question);
  switch (reply.outcome) {
    case 'restorable':
    case 'undoable':
      if (reply.isErasing) throw unavailable('The history of the object is being erased.');
      return reply;
    case 'forbidden':
      throw forbidden();
    case 'erased':
      throw gone();
    case 'deleted':
      throw deletedObject({ id: reply.event, revision: reply.revision, time: reply.time });
    default:
      throw notFound();
  }
};
