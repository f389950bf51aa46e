import { totalmem } from 'node:os';
import { type Static, Type } from '@sinclair/typebox';

const mebibyte = 1024 * 1024;
/** A process needs room for one whole body of every kind. */
const memoryMinMb = 64;

/** Of every process. */
export const memorySettings = {
  WAYMARK_MEMORY_MB: Type.Integer({
    default: 0,
    anyOf: [{ const: 0 }, { minimum: memoryMinMb, maximum: 16 * mebibyte }],
    description: `Memory that a process plans with, in MiB: ${memoryMinMb} or more; 0: all that the machine or its container has`,
  }),
} as const;

type MemorySettings = { readonly [Name in keyof typeof memorySettings]: Static<(typeof memorySettings)[Name]> };

/** What the machine or its container has, in bytes. Where nothing constrains the process, Node reports more than any machine has, or 0. */
const presentBytes = (): number => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** The memory that byte budgets and caches are shares of, in bytes. */
export const memoryBytesOf = ({ WAYMARK_MEMORY_MB: mebibytes }: MemorySettings): number =>
  mebibytes === 0 ? Math.max(presentBytes(), memoryMinMb * mebibyte) : mebibytes * mebibyte;

/** Setting of each of several processes that share what one setting names. */
export const dividedMemoryMb = (settings: MemorySettings, processes: number): number =>
  Math.max(memoryMinMb, Math.floor(memoryBytesOf(settings) / processes / mebibyte));
