import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeContract } from './contract/place.ts';
import { openPlace, WrongPlace } from './urls.ts';

const root = mkdtempSync(join(tmpdir(), 'waymark-places-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const newDirectory = (): string => mkdtempSync(join(root, 'place-'));

placeContract(
  'a directory',
  () => openPlace(newDirectory()),
  () => openPlace(join(root, 'gone')),
);

describe('the name of a place', () => {
  it.each([
    'checkpoints',
    './checkpoints',
    'file://host/path',
    'ftp://hunter2@host',
    'https://host/?token=hunter2',
    's3://key:hunter2@host/bucket',
    's3+https://key:hunter2@host',
    's3+https://hunter2@host/bucket',
    's3+https://key:hunter2@host/bucket?token=hunter2',
  ])('is refused without a quote: %s', async (text) => {
    const refused: unknown = await openPlace(text).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WrongPlace);
    expect(String(refused)).not.toContain('hunter2');
  });

  it('has no credentials in messages', async () => {
    const place = await openPlace('https://user:secret@host.example/checkpoints');
    expect(place.name).toBe('https://host.example/checkpoints');
    const bucket = await openPlace('s3+https://key:secret@s3.example/bucket/some/prefix/?region=eu-central-1');
    expect(bucket.name).toBe('s3+https://s3.example/bucket/some/prefix');
    bucket.close();
    const file = await openPlace(`file://${root}`);
    expect(file.name).toBe(root);
  });
});
