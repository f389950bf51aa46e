#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PartitionRecord } from '@waymark/broker/broker.ts';
import { decodeRecord, encoded } from '@waymark/broker/kafka/codec.ts';
import { signHeaders, type Trust, verifyRecords } from '@waymark/broker/kafka/trust.ts';
import { someInstallation, someRecord, someSigner } from '@waymark/broker/testing/some-records.ts';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import { pinpointParts } from '../pinpoint.ts';
import { median } from '../statistics.ts';

// Measures the processor time of the signatures on Kafka records, per record. The Kafka code of the relay and of the projector runs in one
// process, without a broker, with and without signatures in turn.
//
//     node test/performance/bench/signing/main.ts [--rounds 40] [--relay MICROSECONDS] [--projector MICROSECONDS]
//
// The last two are the total time that each spends on a record: busy cores divided by records per second, as reported by `npm run bench --
// cluster --only backlog`.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    relay: { type: 'string', default: '63' },
    projector: { type: 'string', default: '35' },
  },
});

const batchRecords = 500;
const batches = 20;
const partition = 3;
const trust: Trust = { signer: someSigner, installation: someInstallation };
const records = Array.from({ length: batchRecords }, (_, nth) =>
  someRecord({ partition, previous: nth, position: nth + 1 }, pinpointParts.join(String(1_777_777_000_000 + nth))),
);

type Outgoing = { readonly key: string; readonly value: Buffer; readonly headers?: IHeaders };
type Batch = { readonly buffer: Buffer };
/** kafkajs's own code for the wire format, which has no types. */
const library = createRequire(join(import.meta.dirname, '../../../../packages/broker/kafka/broker.ts'));
const Encoder: new () => Batch = library('kafkajs/src/protocol/encoder');
const encodeRecord: (record: Outgoing & { readonly offsetDelta: number }, encoder: Batch) => void = library(
  'kafkajs/src/protocol/recordBatch/record/v0',
);
const { RecordBatch }: { readonly RecordBatch: (batch: object) => Promise<Batch> } = library('kafkajs/src/protocol/recordBatch/v0');
const decodeBatch: (decoder: unknown) => Promise<{ readonly records: readonly KafkaMessage[] }> = library(
  'kafkajs/src/protocol/recordBatch/v0/decoder',
);
const Decoder: new (buffer: Buffer) => unknown = library('kafkajs/src/protocol/decoder');

const outgoing = (record: PartitionRecord, isSigned: boolean): Outgoing => {
  const value = encoded(record);
  const message = { key: String(record.partition), value };
  return isSigned ? { ...message, headers: signHeaders(trust, record.partition, value) } : message;
};

const send = (isSigned: boolean): Promise<Batch> => {
  const encoder = new Encoder();
  for (const [offsetDelta, record] of records.entries()) encodeRecord({ ...outgoing(record, isSigned), offsetDelta }, encoder);
  return RecordBatch({ records: encoder, lastOffsetDelta: records.length - 1 });
};

const receive = async ({ buffer }: Batch, isSigned: boolean): Promise<void> => {
  const { records: messages } = await decodeBatch(new Decoder(buffer));
  const good = isSigned
    ? verifyRecords(messages, partition, trust).filter(({ record }) => record)
    : messages.filter(({ value }) => value !== null && decodeRecord(value, partition));
  if (good.length !== batchRecords) throw new Error(`${batchRecords - good.length} records failed verification.`);
};

/** Returns the processor time per record, in microseconds. */
const cost = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  for (let nth = 0; nth < batches; nth += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (batches * batchRecords);
};

const sides: Readonly<Record<'relay' | 'projector', (isSigned: boolean) => Promise<unknown>>> = {
  relay: send,
  projector: (isSigned) => receive(isSigned ? signedBatch : unsignedBatch, isSigned),
};
const [unsignedBatch, signedBatch] = [await send(false), await send(true)];

process.stdout.write('| µs per record | unsigned | signed | added | share of the total |\n|---|---|---|---|---|\n');
for (const side of ['relay', 'projector'] as const) {
  const rounds: { readonly unsigned: number; readonly signed: number }[] = [];
  for (let round = -3; round < Number(values.rounds); round += 1) {
    // The two variants take turns, so that other activity of the machine affects both alike. The first rounds only warm up.
    const first = round % 2 === 0;
    const one = await cost(() => sides[side](first));
    const other = await cost(() => sides[side](!first));
    if (round >= 0) rounds.push(first ? { signed: one, unsigned: other } : { signed: other, unsigned: one });
  }
  const of = (which: 'signed' | 'unsigned') => median(rounds.map((round) => round[which]));
  const more = median(rounds.map((round) => round.signed - round.unsigned));
  const cells = [
    of('unsigned').toFixed(2),
    of('signed').toFixed(2),
    more.toFixed(2),
    `${((100 * more) / Number(values[side])).toFixed(1)} %`,
  ];
  process.stdout.write(`| ${[side, ...cells].join(' | ')} |\n`);
}
