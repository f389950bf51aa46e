import { bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import type { Server } from './server.ts';

/** Opens a session that may read the history. */
export const auditorOn = async ({ operator, client }: Server): Promise<Session> => {
  const application = bodyOf<Session['application']>(
    await operator('POST', '/applications', { account: 'keepers', name: 'test/history', scopes: ['read', 'write', 'audit'] }),
    201,
  );
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};
