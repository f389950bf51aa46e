import { erase } from '@waymark/event-log/erasure/erase.ts';
import { aPinpoint } from '../../api/samples.ts';
import { createFixture } from './fixture.ts';
import type { InstanceResponse, Request } from './instance.ts';
import { sendWithInterference } from './meanwhile.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

const send = (request: Request): Promise<InstanceResponse> => directOn(installation()).send(request);
const hasAppended = /^after append pinpoint-/;
const idIn = (stream: string): number => Number(stream.split('-').at(-1));

describe('a keyed request whose event is erased before it is read back', () => {
  it('gives the same response as a repeat', async () => {
    const { account } = await createFixture(installation());
    const request: Request = { endpoint: 'POST /pinpoints', account, body: aPinpoint(), key: 'key' };
    const response = await sendWithInterference(installation(), request, [
      [
        hasAppended,
        async (stream) => {
          await installation().catchUp();
          await send({ endpoint: 'PUT /pinpoints/:id', account, id: idIn(stream), body: aPinpoint({ name: 'Renamed' }) });
          await erase(installation().log, stream);
        },
      ],
    ]);
    expect([response.status, response.json]).toEqual([201, expect.objectContaining({ name: 'Renamed' })]);
    expect(await send(request)).toEqual(response);
  });

  it('is refused like a repeat if its object was deleted', async () => {
    const { account } = await createFixture(installation());
    const request: Request = { endpoint: 'POST /pinpoints', account, body: aPinpoint(), key: 'key' };
    const response = await sendWithInterference(installation(), request, [
      [
        hasAppended,
        async (stream) => {
          await installation().catchUp();
          await send({ endpoint: 'DELETE /pinpoints/:id', account, id: idIn(stream) });
          await erase(installation().log, stream);
        },
      ],
    ]);
    expect(response.status).toBe(409);
    expect(await send(request)).toEqual(response);
  });
});
