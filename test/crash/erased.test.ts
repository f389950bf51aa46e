import { filesWith } from '../api/erased-text.ts';
import { aFile } from '../api/pictures.ts';
import { bodyOf } from '../api/session.ts';
import { expectSound } from './installation.ts';
import { newSession } from './server.ts';
import { useTestServers } from './test-servers.ts';

const ground = useTestServers();

describe('a text that was erased', () => {
  const secret = 'Zq7w-erased-text';

  it('leaves no byte and no digest in the data directory, once forget has answered', async () => {
    const directory = ground.directory();
    const server = await ground.start(directory);
    const me = await newSession(server);
    const edit = (id: number, name: string, description = '') =>
      me.put(`/pinpoints/${id}`, { name, latitude: 1, longitude: 2, description }).then((answer) => bodyOf(answer, 200));
    const { id } = await me.create('/pinpoints', { name: secret, latitude: 1, longitude: 2, media_file: await aFile() });
    for (let nth = 0; nth < 40; nth += 1) await edit(id, secret, `<p>${secret} ${nth} `.padEnd(nth % 2 === 0 ? 100 : 9_000, 'x'));
    await edit(id, 'Public');
    expect(filesWith(directory, secret)).not.toEqual([]);
    bodyOf(await server.operator('POST', '/forget', { kind: 'pinpoint', id, account: me.application.account }), 200);
    expect(filesWith(directory, secret)).toEqual([]);
    await expectSound(server);
    await server.stop();
    expect(filesWith(directory, secret)).toEqual([]);
  });
});
