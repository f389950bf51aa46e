import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { mediaFaultsContract } from '../contract/faults.ts';
import { openMedia } from '../urls.ts';

describeOn(['media', 'control'], 'media in S3', () => {
  const urls: string[] = [];
  const newUrl = (): string => {
    const url = `${urlOf('media')}/${ownName('test')}`;
    urls.push(url);
    return url;
  };
  afterAll(async () => {
    for (const url of urls) {
      const media = await openMedia(url);
      for await (const entry of media.list()) await media.remove(entry.name);
      await media.close();
    }
  });

  mediaFaultsContract('s3', 's3', newUrl);
});
