import type { Server } from '../model/server.ts';

/** Checks that the server runs and has everything it needs. */
export const expectReady = async (server: Server): Promise<void> => {
  expect((await fetch(`${server.urls().operator}/readyz`)).status).toBe(200);
};

/** Checks that the log is intact and that the read models match it. */
export const expectSound = async (server: Server): Promise<void> => {
  const { body } = await server.operator('POST', '/verify');
  expect(body).toMatchObject({ sound: true, log: [], readModels: { equal: true } });
};
