import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openTlsFront } from '@waymark/test-engines/tls-front.ts';
import { placeContract } from '../contract/place.ts';
import { type CheckpointPlace, PlaceUnavailable } from '../place.ts';
import { openPlace } from '../urls.ts';

const newUrl = (): string => `${urlOf('media')}/${ownName('checkpoints')}`;
/** Returns the URL of a bucket with another one of its parts. */
const changed = (change: (url: URL) => void): string => {
  const url = new URL(newUrl().replace(/^s3\+/, ''));
  change(url);
  return `s3+${url.href}`;
};
const isUnavailable = async (place: CheckpointPlace): Promise<void> => {
  const calls = [() => place.latest('origin'), () => place.read('origin', 1), () => place.publish('origin', 1, 'note')];
  for (const call of calls) {
    const refused: unknown = await call().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PlaceUnavailable);
    expect(String(refused)).not.toMatch(/secret|wrong/);
  }
  place.close();
};

describeOn(['media'], 'Checkpoints in S3', () => {
  placeContract(
    'a bucket of S3',
    () => openPlace(newUrl()),
    () =>
      openPlace(
        changed((url) => {
          url.pathname = '/there-is-no-such-bucket';
        }),
      ),
  );

  it('are unavailable if the key is refused, or nothing answers', async () => {
    await isUnavailable(
      await openPlace(
        changed((url) => {
          url.password = 'wrong';
        }),
      ),
    );
    await isUnavailable(
      await openPlace(
        changed((url) => {
          url.port = '1';
        }),
      ),
    );
  });

  it('are published over TLS only if the given authority signed the certificate of the server', async () => {
    const { hostname, port } = new URL(newUrl().replace(/^s3\+/, ''));
    const front = await openTlsFront(hostname, Number(port));
    const url = changed((one) => {
      one.port = String(front.port);
    }).replace(/^s3\+http:/, 's3+https:');
    const place = await openPlace(url, { ca: front.ca });
    await place.publish('origin', 1, 'note');
    expect(await place.latest('origin')).toEqual({ number: 1, note: 'note' });
    place.close();
    await isUnavailable(await openPlace(url));
    front.close();
  });
});
