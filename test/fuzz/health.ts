import type { Server } from '../model/server.ts';

/** The server lives, and has all that it needs. */
export const expectReady = async (server: Server): Promise<void> => {
  expect((await fetch(`${server.urls().operator}/readyz`)).status).toBe(200);
};

/** The log is whole, and the read side is what it says. */
export const expectSound = async (server: Server): Promise<void> => {
  const { body } = await server.operator('POST', '/verify');
  expect(body).toMatchObject({ sound: true, log: [], readModels: { equal: true } });
};
