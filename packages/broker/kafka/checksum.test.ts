import { createRequire } from 'node:module';
import fc from 'fast-check';

// The checksum of kafkajs is patched (patches/kafkajs.patch). It has no types.
const checksum: (bytes: Uint8Array) => number = createRequire(import.meta.filename)('kafkajs/src/protocol/recordBatch/crc32C');

/** Computes CRC-32C bit by bit, as it is defined. */
const byDefinition = (bytes: Uint8Array): number => {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0x82f63b78 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
};

describe('the patched checksum of Kafka records', () => {
  it('has the published check value', () => {
    expect(checksum(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('is CRC-32C for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => checksum(bytes) === byDefinition(bytes)));
  });
});
