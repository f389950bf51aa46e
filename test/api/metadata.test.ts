import sharp from 'sharp';
import { fileOf, photograph, picture, pictureTypes } from './pictures.ts';
import { aPinpoint } from './samples.ts';
import type { Thing } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

describe('Metadata:', () => {
  const stored = async (made: Thing): Promise<Buffer> =>
    (await waymark.send({ method: 'GET', path: new URL(String(made['media_url'])).pathname })).bytes;

  it.each(['image/jpeg', 'image/png', 'image/webp'] as const)(
    '%s loses location and camera data, and keeps orientation and copyright',
    async (type) => {
      const me = await waymark.account();
      const sent = await photograph(type);
      const bytes = await stored(await me.create('/pinpoints', aPinpoint({ media_file: fileOf(sent, type) })));
      expect(sent.includes('CAMERAMARK')).toBe(true);
      expect(['GPSMARK', 'CAMERAMARK', 'Harbour Archive'].filter((mark) => bytes.includes(mark))).toEqual(['Harbour Archive']);
      expect((await sharp(bytes).metadata()).orientation).toBe(6);
    },
  );

  it.each(pictureTypes)('data after the end of %s is removed', async (type) => {
    const me = await waymark.account();
    const bytes = await picture(type);
    const file = fileOf(Buffer.concat([bytes, Buffer.from('<script>alert(1)</script>')]), type);
    expect((await stored(await me.create('/pinpoints', aPinpoint({ media_file: file })))).equals(bytes)).toBe(true);
  });

  it.each(pictureTypes)('the same file sent again is no change: %s', async (type) => {
    const me = await waymark.account();
    const fields = aPinpoint({ media_file: fileOf(await photograph(type), type) });
    const { id } = await me.create('/pinpoints', fields);
    const before = await me.get(`/pinpoints/${id}`);
    const again = await me.put(`/pinpoints/${id}`, fields);
    expect(again.headers.etag).toBe(before.headers.etag);
    expect(again.body).toEqual(before.body);
  });
});
