import { totalmem } from 'node:os';
import { Type } from '@sinclair/typebox';
import { dividedMemoryMb, memoryBytesOf, memorySettings } from './memory.ts';
import { readSettings } from './settings.ts';

const mebibyte = 1024 * 1024;
const read = (text: string) => readSettings({ schema: Type.Object(memorySettings), secrets: [] }, { WAYMARK_MEMORY_MB: text });

afterEach(() => jest.restoreAllMocks());

describe('WAYMARK_MEMORY_MB', () => {
  it('is the memory that a process plans with', () => {
    expect(memoryBytesOf(read('512'))).toBe(512 * mebibyte);
  });

  it.each(['1', '63', '-1', '1.5', '99999999999', 'much'])('may not be %s', (text) => {
    expect(() => read(text)).toThrow(/WAYMARK_MEMORY_MB/);
  });

  it('defaults to the memory of the machine if nothing else constrains the process', () => {
    for (const unconstrained of [0, 2 ** 64]) {
      jest.spyOn(process, 'constrainedMemory').mockReturnValue(unconstrained);
      expect(memoryBytesOf(read(''))).toBe(totalmem());
    }
  });

  it('defaults to the memory of the container if that is smaller', () => {
    jest.spyOn(process, 'constrainedMemory').mockReturnValue(300 * mebibyte);
    expect(memoryBytesOf(read(''))).toBe(300 * mebibyte);
  });

  it('is divided among processes, each with room to work', () => {
    expect(dividedMemoryMb(read('2048'), 8)).toBe(256);
    expect(dividedMemoryMb(read('64'), 8)).toBe(64);
  });
});
