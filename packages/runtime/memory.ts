import { totalmem } from 'node:os';
import { type Static, Type } from '@sinclair/typebox';

const mebibyte = 1024 * 1024;
/** A process needs room for one whole body of every kind. */
const memoryMinMb = 64;

/** Settings of every process. */
export const memorySettings = {
  WAYMARK_MEMORY_MB: Type.Integer({
    default: 0,
    anyOf: [{ const: 0 }, { minimum: memoryMinMb, maximum: 16 * mebibyte }],
    description: `Memory that a process plans with, in MiB: ${memoryMinMb} or more; 0: all that the machine or its container has`,
  }),
} as const;

type MemorySettings = { readonly [Name in keyof typeof memorySettings]: Static<(typeof memorySettings)[Name]> };

/** Returns the memory of the machine or its container, in bytes. If nothing constrains the process, Node reports more than any machine has,
 * or 0. */
const presentBytes = (): number => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** Returns the memory that byte budgets and caches take their shares of, in bytes. */
export const memoryBytesOf = ({ WAYMARK_MEMORY_MB: mebibytes }: MemorySettings): number =>
  mebibytes === 0 ? Math.max(presentBytes(), memoryMinMb * mebibyte) : mebibytes * mebibyte;

/** Returns the setting for each of several processes that share the memory of one setting. */
export const dividedMemoryMb = (settings: MemorySettings, processes: number): number =>
  Math.max(memoryMinMb, Math.floor(memoryBytesOf(settings) / processes / mebibyte));
