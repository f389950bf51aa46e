import { erase } from '@waymark/event-log/erasure/erase.ts';
import { aPinpoint } from '../../api/samples.ts';
import { groundIn } from './ground.ts';
import type { Request, Told } from './instance.ts';
import { sendWhileOn } from './meanwhile.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const world = useInstallation();

const send = (request: Request): Promise<Told> => directOn(world()).send(request);
const hasAppended = /^after append pinpoint-/;
const idIn = (stream: string): number => Number(stream.split('-').at(-1));

describe('a keyed request whose event is erased before it is read back', () => {
  it('gives the same response as a repeat', async () => {
    const { account } = await groundIn(world());
    const request: Request = { endpoint: 'POST /pinpoints', account, body: aPinpoint(), key: 'key' };
    const told = await sendWhileOn(world(), request, [
      [
        hasAppended,
        async (stream) => {
          await world().catchUp();
          await send({ endpoint: 'PUT /pinpoints/:id', account, id: idIn(stream), body: aPinpoint({ name: 'Renamed' }) });
          await erase(world().log, stream);
        },
      ],
    ]);
    expect([told.status, told.json]).toEqual([201, expect.objectContaining({ name: 'Renamed' })]);
    expect(await send(request)).toEqual(told);
  });

  it('is refused like a repeat if its object was deleted', async () => {
    const { account } = await groundIn(world());
    const request: Request = { endpoint: 'POST /pinpoints', account, body: aPinpoint(), key: 'key' };
    const told = await sendWhileOn(world(), request, [
      [
        hasAppended,
        async (stream) => {
          await world().catchUp();
          await send({ endpoint: 'DELETE /pinpoints/:id', account, id: idIn(stream) });
          await erase(world().log, stream);
        },
      ],
    ]);
    expect(told.status).toBe(409);
    expect(await send(request)).toEqual(told);
  });
});
