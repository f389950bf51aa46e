import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openTlsFront } from '@waymark/test-engines/tls-front.ts';
import { storedBytes } from '../content.ts';
import { mediaContract } from '../contract/media.ts';
import { MediaUnavailable, type RemoteMedia } from '../media.ts';
import { openMedia } from '../urls.ts';

const newUrl = (): string => `${urlOf('media')}/${ownName('test')}`;
const name = 'ab12ab12ab12ab12ab12ab12ab12ab12.png';

describeOn(['media'], 'media in S3', () => {
  const opened: RemoteMedia[] = [];
  const open = async (url: string, options = {}): Promise<RemoteMedia> => {
    const media = await openMedia(url, options);
    opened.push(media);
    return media;
  };
  afterEach(async () => {
    for (const media of opened.splice(0)) {
      for await (const entry of media.list()) await media.remove(entry.name);
      await media.close();
    }
  });

  mediaContract('s3', () => open(newUrl()));

  it('share the bucket with other objects, and are listed page by page', async () => {
    const url = newUrl();
    const [inner, outer] = [await open(`${url}/inner`), await open(url)];
    const names = Array.from({ length: 1_003 }, (_, index) => `${index.toString(16).padStart(32, '0')}.png`);
    await inBatches(names, 32, (each) => outer.put(each, Buffer.from('x')));
    await inner.put(name, Buffer.from('inner'));
    expect(await namesIn(outer)).toEqual(names);
    expect(await namesIn(inner)).toEqual([name]);
    expect(await outer.get(name)).toBeUndefined();
    await inBatches(names, 32, outer.remove);
  });

  it('are unavailable, not missing, if the bucket does not exist or the key is refused', async () => {
    const url = new URL(newUrl().replace(/^s3\+/, ''));
    const wrongKey = `s3+http://${url.username}:wrong@${url.host}${url.pathname}`;
    const noBucket = `s3+http://${url.username}:${url.password}@${url.host}/there-is-no-such-bucket`;
    for (const wrong of [wrongKey, noBucket]) {
      const media = await openMedia(wrong);
      for (const call of [() => media.get(name), () => media.put(name, Buffer.from('x')), () => namesIn(media), media.ping]) {
        await expect(call()).rejects.toThrow(MediaUnavailable);
      }
      await media.close();
    }
  });

  it('are stored without a key in the URL, with the identity that the environment gives to the process', async () => {
    const { username: AccessKeyId, password: SecretAccessKey, host, pathname } = new URL(newUrl().replace(/^s3\+/, ''));
    const asked: (string | undefined)[] = [];
    const identities = createServer((request, response) => {
      asked.push(request.headers.authorization);
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: '', Expiration }));
    }).listen(0, '127.0.0.1');
    await once(identities, 'listening');
    const { port } = identities.address() as AddressInfo;
    // The agent for identities of pods (EKS) is named so. Nothing else names an identity.
    const environment = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'of-the-pod',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    Object.assign(process.env, environment);
    try {
      const media = await open(`s3+http://${host}${pathname}`);
      await media.put(name, Buffer.from('x'));
      expect(await namesIn(media)).toEqual([name]);
      // It is asked once, and cached.
      expect(asked).toEqual(['of-the-pod']);
    } finally {
      for (const variable of Object.keys(environment)) delete process.env[variable];
      identities.close();
    }
  });

  it('are unavailable without a key in the URL and without an identity', async () => {
    const { host, pathname } = new URL(newUrl().replace(/^s3\+/, ''));
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    const media = await openMedia(`s3+http://${host}${pathname}`);
    try {
      await expect(media.ping()).rejects.toThrow(MediaUnavailable);
    } finally {
      delete process.env['AWS_EC2_METADATA_DISABLED'];
      await media.close();
    }
  });

  it('are stored over TLS only if the given authority signed the certificate of the server', async () => {
    const { username, password, hostname, port, pathname } = new URL(newUrl().replace(/^s3\+/, ''));
    const front = await openTlsFront(hostname, Number(port));
    const url = `s3+https://${username}:${password}@127.0.0.1:${front.port}${pathname}`;
    const media = await open(url, { ca: front.ca });
    await media.put(name, Buffer.alloc(3_000_000, 'x'));
    expect((await storedBytes(media, name))?.length).toBe(3_000_000);
    const stranger = await openMedia(url);
    await expect(stranger.get(name)).rejects.toThrow(MediaUnavailable);
    await stranger.close();
    for await (const entry of media.list()) await media.remove(entry.name);
    await opened.pop()?.close();
    front.close();
  });
});

const namesIn = async (media: RemoteMedia): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const entry of media.list()) names.push(entry.name);
  return names;
};

const inBatches = async (names: readonly string[], size: number, work: (name: string) => Promise<void>): Promise<void> => {
  for (let at = 0; at < names.length; at += size) await Promise.all(names.slice(at, at + size).map(work));
};
