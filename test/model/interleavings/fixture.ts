import { aList, anEvent, aPinpoint, members } from '../../api/samples.ts';
import type { InterleavedInstallation } from './installation.ts';
import type { Instance, Request } from './instance.ts';
import { directOn } from './process.ts';
import { anAccount } from './use-installation.ts';

/** Sends a request that must be accepted. Returns the id in the response, or 0. */
export const made = async ({ send }: Instance, request: Request): Promise<number> => {
  const { status, text, json } = await send(request);
  if (status >= 300) throw new Error(`${request.endpoint} answered ${status} ${text}`);
  return (json as { id?: number }).id ?? 0;
};

/** An account with two pinpoints, two lists and two events. Both pinpoints are members of the second list; the first event is at the first
 * pinpoint. */
export type Fixture = {
  readonly account: string;
  readonly doomed: number;
  readonly lasting: number;
  readonly list: number;
  readonly fullList: number;
  readonly event: number;
  readonly moving: number;
};

export const createFixture = async (installation: InterleavedInstallation): Promise<Fixture> => {
  const direct = directOn(installation);
  const account = anAccount();
  const create = (endpoint: Request['endpoint'], body: unknown, id = 0): Promise<number> => made(direct, { endpoint, account, body, id });
  const doomed = await create('POST /pinpoints', aPinpoint());
  const lasting = await create('POST /pinpoints', aPinpoint());
  const list = await create('POST /lists', aList());
  const fullList = await create('POST /lists', aList());
  await create('POST /lists/:id/pinpoints', members(doomed, lasting), fullList);
  const event = await create('POST /events', anEvent(doomed));
  const moving = await create('POST /events', anEvent(lasting));
  return { account, doomed, lasting, list, fullList, event, moving };
};
