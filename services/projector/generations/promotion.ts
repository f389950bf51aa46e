import type { Logger } from 'pino';
import { completeWithinMs, retireAfterMs } from '../limits.ts';
import type { Comparison, GenerationEntry, Generations, ReadModelStore } from '../ports.ts';
import { comparisonOutcomes } from '../responses.ts';
import { type ControlSnapshot, isSettled } from './control-snapshot.ts';

export type GenerationPromotionPorts = {
  readonly readSide: ReadModelStore;
  readonly graceMs: number;
  readonly logger: Logger;
};

export type GenerationPromotion = {
  /** Checks the newest generation of this version. Makes it live once it has everything that the log had a moment ago, and drops the
   * generations that it replaced.
   * @throws ReadModelsUnavailable */
  readonly check: (newest: GenerationEntry, sight: ControlSnapshot) => Promise<void>;
  /** The results of comparing new generations with their predecessors, by the name of the new generation. */
  readonly comparisons: () => ReadonlyMap<string, Comparison>;
  /** Resolves when no promotion is in progress. */
  readonly idle: () => Promise<void>;
};

export const createPromotion = ({ readSide, graceMs, logger }: GenerationPromotionPorts): GenerationPromotion => {
  let running: Promise<void> | undefined;
  let target: { readonly name: string; readonly head: number; readonly atMs: number } | undefined;
  const comparisons = new Map<string, Comparison>();
  let settledSince: { readonly name: string; readonly atMs: number } | undefined;

  /** Whether the generation has reached the position that the log had a moment ago. */
  const isComplete = async ({ name }: GenerationEntry, { log }: ControlSnapshot): Promise<boolean> => {
    if (log === undefined) return false;
    const now = performance.now();
    if (target?.name !== name || now - target.atMs > completeWithinMs) target = { name, head: log.head, atMs: now };
    const { head } = target;
    const positions = await readSide.generation(name).positions();
    return positions.every((reached) => reached?.incarnation === log.incarnation && reached.position >= head);
  };
  const promote = async ({ name }: GenerationEntry): Promise<void> => {
    try {
      logger.info({ generation: name }, 'the generation is complete: it becomes the live one');
      await compare(name);
      await readSide.generations.promote(name, { graceMs });
    } catch (error) {
      logger.warn({ err: error, generation: name }, 'the generation could not become the live one; retrying');
    }
    running = undefined;
  };

  /** Compares a generation with the live one. The new generation is used in any case, because it was built from the log. A difference is
   * logged. */
  const compare = async (name: string): Promise<void> => {
    const compared = await readSide.generations.compare(name).catch((error: unknown) => {
      // A failed comparison must not block the correct generation.
      logger.warn({ err: error, generation: name }, 'the generation could not be compared with the live one');
    });
    if (!compared) return;
    comparisons.set(name, compared);
    const { with: other, outcome, rows, different, examples } = compared;
    const fields = { generation: name, with: other, outcome: comparisonOutcomes[outcome], rows, different, examples };
    if (outcome === 'different') logger.error(fields, 'the live generation differed from the log: the new one replaces it');
    else if (outcome === 'undecided') logger.warn(fields, 'the generation could not be compared completely with the live one');
    else logger.info(fields, 'the generation is equal to the live generation');
  };

  return {
    comparisons: () => comparisons,
    check: async (newest, sight) => {
      if (running !== undefined) return;
      if (isSettled(sight, newest.name)) {
        if (settledSince?.name !== newest.name) settledSince = { name: newest.name, atMs: performance.now() };
        if (performance.now() - settledSince.atMs > retireAfterMs) await dropOthers(readSide.generations, newest, sight);
        return;
      }
      settledSince = undefined;
      if (await isComplete(newest, sight)) running = promote(newest);
    },
    idle: async () => running,
  };
};

/** Drops the earlier generations of this version, and those of other versions that the newest one replaced. Other processes fill
 * generations of their own versions: those are kept. */
const dropOthers = async ({ retire }: Generations, newest: GenerationEntry, { entries }: ControlSnapshot): Promise<void> => {
  for (const { name, serial, version, state } of entries) {
    if (serial < newest.serial && (version === newest.version || state !== 'filling')) await retire(name);
  }
};
