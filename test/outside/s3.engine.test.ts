import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { openMedia } from '@waymark/media/urls.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { expectAsBefore } from './golden.ts';

describeOn(['media'], 'Files in S3', () => {
  it('are stored as before: a file and the mark of an erased one', async () => {
    const prefix = ownName('outside');
    const url = new URL(urlOf('media').replace(/^s3\+/, ''));
    const media = await openMedia(`${urlOf('media')}/${prefix}`);
    const credentials = { accessKeyId: url.username, secretAccessKey: url.password };
    const client = new S3Client({ endpoint: `${url.protocol}//${url.host}`, forcePathStyle: true, region: 'us-east-1', credentials });
    const Bucket = url.pathname.slice(1);
    try {
      const names = ['a', 'b'].map((letter) => `${letter.repeat(32)}.png`);
      for (const name of names) await media.put(name, Buffer.from('a picture'));
      await media.erase(names[1] ?? '');
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix }));
      const objects = await Promise.all(
        Contents.map(async ({ Key = '' }) => {
          const { ContentType, CacheControl, Metadata, Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
          const body = await Body?.transformToString();
          return [
            Key.replace(prefix, '<prefix>'),
            { type: ContentType, cache: CacheControl ?? null, metadata: Metadata ?? {}, body },
          ] as const;
        }),
      );
      expectAsBefore('S3: objects', Object.fromEntries(objects));
      for (const name of names) await media.remove(name);
    } finally {
      client.destroy();
      await media.close();
    }
  });
});
