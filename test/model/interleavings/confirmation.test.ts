import { resourceStream } from '@waymark/domain/streams.ts';
import { aList, aPinpoint, members } from '../../api/samples.ts';
import { type Ground, groundIn } from './ground.ts';
import { instanceOn, type Request, type Told } from './instance.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const world = useInstallation();

/** Sends a write while the read models do not advance. */
const behind = (request: Request): Promise<Told> => instanceOn({ ...world(), reached: async () => true }).send(request);
const send = (request: Request): Promise<Told> => directOn(world()).send(request);

const revisionOf = async (list: number) => (await world().log.lastRevisions([resourceStream('list', list)]))[0];
const renaming = ({ account, list: id }: Ground, name: string): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id,
  body: aList({ name }),
});
const adding = ({ account, list: id, lasting }: Ground): Request => ({
  endpoint: 'POST /lists/:id/pinpoints',
  account,
  id,
  body: members(lasting),
});
const removing = (ground: Ground): Request => ({ ...adding(ground), endpoint: 'DELETE /lists/:id/pinpoints' });

/** Requests that would change nothing according to the read models, each with the requests that the log has recorded since. */
const requests: Readonly<Record<string, (ground: Ground) => readonly [before: Request, meanwhile: Request, request: Request]>> = {
  'an edit back to what it was': (ground) => [renaming(ground, 'Before'), renaming(ground, 'Meanwhile'), renaming(ground, 'Before')],
  'an addition of a member that was removed': (ground) => [adding(ground), removing(ground), adding(ground)],
  'an addition of a member that was removed, with a key': (ground) => [adding(ground), removing(ground), { ...adding(ground), key: 'key' }],
  'a removal of a member that was added': (ground) => [removing(ground), adding(ground), removing(ground)],
};

describe('a decision that appends nothing and is based on read models that are behind', () => {
  it.each(Object.entries(requests))('is made again from the state of the log: %s', async (_, of) => {
    const ground = await groundIn(world());
    const [before, meanwhile, request] = of(ground);
    await send(before);
    await behind(meanwhile);
    const revision = await revisionOf(ground.list);
    expect((await behind(request)).status).toBe(200);
    expect(await revisionOf(ground.list)).toBe(Number(revision) + 1);
  });

  it('is made again from the state of the log: a refusal by If-Match', async () => {
    const ground = await groundIn(world());
    const { headers } = await behind(renaming(ground, 'Meanwhile'));
    const told = await behind({ ...renaming(ground, 'Matching'), match: headers['ETag'] ?? 'none' });
    expect(told.status).toBe(200);
    expect((await behind({ ...renaming(ground, 'Stale'), match: headers['ETag'] ?? 'none' })).status).toBe(412);
  });

  it('is answered unchanged where the log has nothing newer', async () => {
    const { account, lasting } = await groundIn(world());
    const before = (await world().log.state()).head;
    expect((await send({ endpoint: 'PUT /pinpoints/:id', account, id: lasting, body: aPinpoint() })).status).toBe(200);
    expect((await world().log.state()).head).toBe(before);
  });
});
