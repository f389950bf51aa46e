import { createSigner } from '@waymark/signing/signer.ts';
import { someInstallation, someRecord, someSigner, someWatermark } from '../testing/some-records.ts';
import { encoded } from './codec.ts';
import { signHeaders, type Trust, verifyRecords } from './trust.ts';

const ours: Trust = { signer: someSigner, installation: someInstallation };
const otherKey = createSigner(['another key, which the cluster does not have']);
const otherInstallation = '00000000-0000-4000-8000-000000000002';
const place = { partition: 3, previous: 5, position: 9 };

const record = someRecord(place);
const value = encoded(record);
const verifiedOf = (message: Parameters<typeof verifyRecords>[0][number], partition: number, trust: Trust) =>
  verifyRecords([message], partition, trust)[0];
const message = (trust: Trust = ours, partition = 3) => ({ headers: signHeaders(trust, partition, value), value });

describe('a trusted record', () => {
  it.each([
    ['an event', record],
    ['a watermark', someWatermark(place)],
  ])('is %s with the signature of this installation over partition and value', (_, one) => {
    expect(verifiedOf({ headers: signHeaders(ours, 3, encoded(one)), value: encoded(one) }, 3, ours)).toEqual({ record: one });
  });

  it('may be signed with an older key that is still accepted', () => {
    const signer = createSigner(['a key that came after the one of the record', 'a key of tests, which guards nothing else']);
    expect(verifiedOf(message(), 3, { ...ours, signer })).toEqual({ record });
  });

  it('may carry facts of a later release', () => {
    const { headers } = message();
    expect(verifiedOf({ headers: { ...headers, 'waymark-fact': 'anything' }, value }, 3, ours)).toEqual({ record });
  });
});

describe('a record is not trusted', () => {
  const edited = encoded({ ...record, position: 10, event: record.event && { ...record.event, position: 10 } });
  const swapped = Buffer.from(value);
  swapped[swapped.length - 1] = 32;
  it.each([
    ['without a signature', { value }, 'unsigned'],
    ['whose value was changed', { ...message(), value: edited }, 'forged'],
    ['with one changed byte', { ...message(), value: swapped }, 'forged'],
    ['without anything, as a compressed batch arrives', { key: null, value: null }, 'forged'],
    ['without a value', { ...message(), value: null }, 'forged'],
    ['signed with another key', message({ ...ours, signer: otherKey }), 'forged'],
    ['moved here from another partition', message(ours, 4), 'forged'],
    ['with two headers', { headers: { waymark: [message().headers['waymark'] as string, 'more'] }, value }, 'forged'],
    ['with an empty header', { headers: { waymark: '' }, value }, 'forged'],
    ['with an incomplete header', { headers: { waymark: someInstallation }, value }, 'forged'],
    ['with a header that names no installation', { headers: { waymark: `<b>${'x'.repeat(40)}</b> y` }, value }, 'forged'],
  ])('%s', (_, forged, untrusted) => {
    expect(verifiedOf(forged, 3, ours)).toEqual({ untrusted });
  });

  it.each([
    ['with the same key', someSigner],
    ['with another key', otherKey],
  ])('of another installation, whether signed %s', (_, signer) => {
    const foreign = message({ signer, installation: otherInstallation });
    expect(verifiedOf(foreign, 3, ours)).toEqual({ untrusted: 'foreign', installation: otherInstallation });
  });

  it('whose signed value is not a record', () => {
    const other = Buffer.from('{}');
    expect(verifiedOf({ headers: signHeaders(ours, 3, other), value: other }, 3, ours)).toEqual({ untrusted: 'malformed' });
  });
});

it('records are judged one by one, in their order', () => {
  const moved = message(ours, 4);
  expect(verifyRecords([message(), { value }, moved, message()], 3, ours)).toEqual([
    { record },
    { untrusted: 'unsigned' },
    { untrusted: 'forged' },
    { record },
  ]);
});
