import { openMedia, parseMediaUrl, WrongMediaUrl } from './urls.ts';

describe('the URL of a media store', () => {
  it('names a bucket of S3', () => {
    expect(parseMediaUrl('s3+http://key:secret@127.0.0.1:9000/media')).toEqual({
      kind: 's3',
      endpoint: 'http://127.0.0.1:9000',
      key: { access: 'key', secret: 'secret' },
      bucket: 'media',
      prefix: '',
      region: undefined,
    });
  });

  it('names a prefix and a region as well, and accepts any secret', () => {
    expect(parseMediaUrl('s3+https://AKIA:a%2Fb%2Bc%3A%40@s3.eu-central-1.amazonaws.com/media/way/mark/?region=eu-central-1')).toEqual({
      kind: 's3',
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      key: { access: 'AKIA', secret: 'a/b+c:@' },
      bucket: 'media',
      prefix: 'way/mark/',
      region: 'eu-central-1',
    });
  });

  it('may leave the key out, and then the library finds an identity', () => {
    expect(parseMediaUrl('s3+https://s3.example.org/media')).toMatchObject({ endpoint: 'https://s3.example.org', key: undefined });
  });

  it.each([
    ['mongodb://127.0.0.1:27017/media', 'media'],
    ['mongodb://u:p%40ss@one:1,two:2,three:3/way-mark?replicaSet=rs&authSource=admin', 'way-mark'],
    ['mongodb+srv://u:p@cluster.example.org/media', 'media'],
  ])('names a database of MongoDB: %s', (url, database) => {
    expect(parseMediaUrl(`gridfs+${url}`)).toEqual({ kind: 'gridfs', url, database });
  });

  it.each([
    '',
    'hunter2',
    'http://key:hunter2@host/bucket',
    'mongodb://u:hunter2@host/media',
    's3+ftp://key:hunter2@host/bucket',
    's3+http://key:hunter2@host',
    's3+http://key:hunter2@host/',
    's3+http://key:hunter2@host:port/bucket',
    's3+http://hunter2@host/bucket',
    's3+http://:hunter2@host/bucket',
    's3+http://hunter2:@host/bucket',
    's3+http://key:hunter2%zz@host/bucket',
    's3+http://key:hunter2@host/bucket?hunter2=1',
    's3+http://key:hunter2@host/bucket#hunter2',
    'gridfs+mongodb://u:hunter2@host',
    'gridfs+mongodb://u:hunter2@host/',
    'gridfs+mongodb://u:hunter2@host/?x=y',
    'gridfs+mongodb://u:hunter2@host/%zz',
    'gridfs+mongodb://u:hun/ter2@host/media',
    'gridfs+mongodb://u:hunter2@@host/media',
    'gridfs+mongodb://u:hunter2@host:0x/media',
    'gridfs+mongodb://u:hunter2@host/media?w=hunter2&w=hunter2',
  ])('is refused, and the message does not repeat it: %s', async (url) => {
    const refusal = await openMedia(url).then(
      () => 'opened',
      (error) => error,
    );
    expect(refusal).toBeInstanceOf(WrongMediaUrl);
    expect(JSON.stringify([refusal.message, refusal.stack, refusal.cause])).not.toMatch(/hun/);
  });

  it('is refused with the name of an unknown option', async () => {
    await expect(openMedia('gridfs+mongodb://u:p@host/media?replikaSet=rs')).rejects.toThrow('Unknown option: replikaset.');
  });
});
