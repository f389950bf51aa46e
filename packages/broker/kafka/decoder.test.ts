import { createRequire } from 'node:module';
import type { IHeaders, KafkaMessage } from 'kafkajs';

// The encoder and the decoder of kafkajs are patched (patches/kafkajs.patch). They have no types.
const library = createRequire(import.meta.filename);
type Encoded = { readonly buffer: Buffer };
type Sent = { readonly key: string | null; readonly value: string | null; readonly headers?: IHeaders; readonly timestampDelta?: number };
const Encoder: new () => Encoded = library('kafkajs/src/protocol/encoder');
const encodeRecord: (record: object, encoder: Encoded) => void = library('kafkajs/src/protocol/recordBatch/record/v0');
const { RecordBatch }: { readonly RecordBatch: (batch: object) => Promise<Encoded> } = library('kafkajs/src/protocol/recordBatch/v0');
const decodeBatch: (decoder: unknown) => Promise<{ readonly records: readonly KafkaMessage[] }> = library(
  'kafkajs/src/protocol/recordBatch/v0/decoder',
);
const Decoder: new (buffer: Buffer) => unknown = library('kafkajs/src/protocol/decoder');
const Batch: new (topic: string, fetchedOffset: string, data: object) => { readonly messages: readonly KafkaMessage[] } =
  library('kafkajs/src/consumer/batch');

type First = { readonly offset?: string; readonly timestamp?: number };

const encodedBatch = (sent: readonly Sent[], first: First = {}): Promise<Encoded> => {
  const records = new Encoder();
  for (const [offsetDelta, one] of sent.entries()) encodeRecord({ ...one, offsetDelta }, records);
  const { offset: firstOffset = '0', timestamp: firstTimestamp = 0 } = first;
  const lastOffsetDelta = sent.length - 1;
  return RecordBatch({ firstOffset, firstTimestamp, maxTimestamp: firstTimestamp, lastOffsetDelta, records });
};

const decoded = async (sent: readonly Sent[], first?: First) =>
  (await decodeBatch(new Decoder((await encodedBatch(sent, first)).buffer))).records;

describe('the patched encoder and decoder of Kafka records', () => {
  it('returns the name of each header, whatever name the header before has', async () => {
    const names = ['aa', 'aa', 'ab', 'a', '', 'ö', 'aa', 'constructor'];
    const records = await decoded(names.map((name) => ({ key: null, value: null, headers: { [name]: 'value' } })));
    expect(records.map(({ headers }) => Object.keys(headers ?? {}))).toEqual(names.map((name) => [name]));
  });

  it('returns keys, values and headers as they were sent, also null, empty and repeated ones', async () => {
    const [full, empty, bare] = await decoded([
      { key: 'é', value: 'the value', headers: { a: 'one', b: ['two', 'three', 'four'], ö: '' } },
      { key: '', value: '', headers: {} },
      { key: null, value: null },
    ]);
    expect(full).toMatchObject({ key: Buffer.from('é'), value: Buffer.from('the value') });
    expect(full?.headers).toEqual({
      a: Buffer.from('one'),
      b: ['two', 'three', 'four'].map((text) => Buffer.from(text)),
      ö: Buffer.from(''),
    });
    expect(empty).toMatchObject({ key: Buffer.from(''), value: Buffer.from(''), headers: {} });
    expect(bare).toMatchObject({ key: null, value: null, headers: {} });
  });

  it('returns headers of any name as they were sent', async () => {
    const [record] = await decoded([
      {
        key: null,
        value: 'x',
        headers: Object.fromEntries([
          ['__proto__', 'a'],
          ['toString', 'b'],
        ]),
      },
    ]);
    expect(Object.entries(record?.headers ?? {})).toEqual([
      ['__proto__', Buffer.from('a')],
      ['toString', Buffer.from('b')],
    ]);
    expect(record?.headers?.['length']).toBeUndefined();
  });

  it('decodes a header in linear time, however often it is repeated', async () => {
    const values = Array<string>(50_000).fill('');
    const { buffer } = await encodedBatch([{ key: null, value: 'x', headers: { a: values } }]);
    const startedMs = performance.now();
    const [record] = (await decodeBatch(new Decoder(buffer))).records;
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(record?.headers?.['a']).toHaveLength(values.length);
  });

  it.each([
    ['0', ['0', '1', '2']],
    ['4294967295', ['4294967295', '4294967296', '4294967297']],
    ['9007199254740990', ['9007199254740990', '9007199254740991', '9007199254740992']],
    ['9223372036854775800', ['9223372036854775800', '9223372036854775801', '9223372036854775802']],
  ])('returns offsets from %s exactly', async (offset, offsets) => {
    const records = await decoded(Array(3).fill({ key: null, value: 'x' }), { offset });
    expect(records.map((record) => record.offset)).toEqual(offsets);
  });

  it.each([0, 1, 63, 64, 8_191, 134_217_727, 134_217_728, 268_435_456, 2 ** 40])(
    'returns a timestamp %d ms after the first',
    async (delta) => {
      const timestamp = 1_777_777_000_000;
      const [record] = await decoded([{ key: null, value: 'x', timestampDelta: delta }], { timestamp });
      expect(record?.timestamp).toBe(String(timestamp + delta));
    },
  );

  it('decodes each record after one of another length', async () => {
    const values = ['', 'a'.repeat(200), 'é', 'b'.repeat(70_000), 'c'];
    const records = await decoded(values.map((value) => ({ key: null, value })));
    expect(records.map(({ value }) => value?.toString())).toEqual(values);
  });

  it('drops the records of a batch that come before the requested offset, and no other', async () => {
    const messages = await decoded(Array(3).fill({ key: null, value: 'x' }), { offset: '10' });
    const offsetsFrom = (fetchedOffset: string) =>
      new Batch('topic', fetchedOffset, { partition: 0, highWatermark: '13', abortedTransactions: [], messages }).messages.map(
        ({ offset }) => offset,
      );
    expect(offsetsFrom('9')).toEqual(['10', '11', '12']);
    expect(offsetsFrom('10')).toEqual(['10', '11', '12']);
    expect(offsetsFrom('12')).toEqual(['12']);
    expect(offsetsFrom('13')).toEqual([]);
  });
});
