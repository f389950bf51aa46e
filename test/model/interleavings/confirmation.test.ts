import { resourceStream } from '@waymark/domain/streams.ts';
import { aList, aPinpoint, members } from '../../api/samples.ts';
import { createFixture, type Fixture } from './fixture.ts';
import { type InstanceResponse, instanceOn, type Request } from './instance.ts';
import { directOn } from './process.ts';
import { useInstallation } from './use-installation.ts';

const installation = useInstallation();

/** Sends a write while the read models do not advance. */
const behind = (request: Request): Promise<InstanceResponse> => instanceOn({ ...installation(), reached: async () => true }).send(request);
const send = (request: Request): Promise<InstanceResponse> => directOn(installation()).send(request);

const revisionOf = async (list: number) => (await installation().log.lastRevisions([resourceStream('list', list)]))[0];
const renaming = ({ account, list: id }: Fixture, name: string): Request => ({
  endpoint: 'PUT /lists/:id',
  account,
  id,
  body: aList({ name }),
});
const adding = ({ account, list: id, lasting }: Fixture): Request => ({
  endpoint: 'POST /lists/:id/pinpoints',
  account,
  id,
  body: members(lasting),
});
const removing = (ground: Fixture): Request => ({ ...adding(ground), endpoint: 'DELETE /lists/:id/pinpoints' });

/** Requests that would change nothing according to the read models, each with the requests that the log has recorded since. */
const requests: Readonly<Record<string, (ground: Fixture) => readonly [before: Request, meanwhile: Request, request: Request]>> = {
  'an edit back to what it was': (ground) => [renaming(ground, 'Before'), renaming(ground, 'Meanwhile'), renaming(ground, 'Before')],
  'an addition of a member that was removed': (ground) => [adding(ground), removing(ground), adding(ground)],
  'an addition of a member that was removed, with a key': (ground) => [adding(ground), removing(ground), { ...adding(ground), key: 'key' }],
  'a removal of a member that was added': (ground) => [removing(ground), adding(ground), removing(ground)],
};

describe('a decision that appends nothing and is based on read models that are behind', () => {
  it.each(Object.entries(requests))('is made again from the state of the log: %s', async (_, of) => {
    const ground = await createFixture(installation());
    const [before, meanwhile, request] = of(ground);
    await send(before);
    await behind(meanwhile);
    const revision = await revisionOf(ground.list);
    expect((await behind(request)).status).toBe(200);
    expect(await revisionOf(ground.list)).toBe(Number(revision) + 1);
  });

  it('is made again from the state of the log: a refusal by If-Match', async () => {
    const ground = await createFixture(installation());
    const { headers } = await behind(renaming(ground, 'Meanwhile'));
    const response = await behind({ ...renaming(ground, 'Matching'), match: headers['ETag'] ?? 'none' });
    expect(response.status).toBe(200);
    expect((await behind({ ...renaming(ground, 'Stale'), match: headers['ETag'] ?? 'none' })).status).toBe(412);
  });

  it('is answered unchanged where the log has nothing newer', async () => {
    const { account, lasting } = await createFixture(installation());
    const before = (await installation().log.state()).head;
    expect((await send({ endpoint: 'PUT /pinpoints/:id', account, id: lasting, body: aPinpoint() })).status).toBe(200);
    expect((await installation().log.state()).head).toBe(before);
  });
});
