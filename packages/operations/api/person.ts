import { isOpaqueId } from '@waymark/domain/opaque-id.ts';
import type { OpenCall, OpenRoute } from '@waymark/http/app.ts';
import { badRequest, toHttpError } from '@waymark/http/errors.ts';
import type { Logger } from 'pino';

/** Returns the opaque id of the person for whom an operator makes a call: `by` in the query of its URL. Returns null if there is none.
 * @throws HttpError 400 */
export const personOf = ({ request }: Pick<OpenCall, 'request'>): string | null => {
  const by = new URLSearchParams(/\?(.*)$/s.exec(request.url ?? '')?.[1]).getAll('by');
  if (by.length === 0) return null;
  if (by.length > 1 || !isOpaqueId(by[0])) throw badRequest('by: an id of at most 64 characters without @ and blanks');
  return by[0];
};

/** Logs each call that changes something and names a person, with its outcome. Only orders about objects have a place for the person in
 * their events. */
export const withPersonLogged = (logger: Pick<Logger, 'info'>, route: OpenRoute): OpenRoute => {
  if (route.method === 'GET') return route;
  return {
    ...route,
    handle: async (call) => {
      const by = personOf(call);
      if (by === null) return route.handle(call);
      const { requestId: request, parameters } = call;
      const note = (status: number): void =>
        logger.info({ request, operation: `${route.method} ${route.path}`, parameters, by, status }, 'operator call');
      try {
        const answer = await route.handle(call);
        note(answer.status);
        return answer;
      } catch (error) {
        note(toHttpError(error).status);
        throw error;
      }
    },
  };
};
