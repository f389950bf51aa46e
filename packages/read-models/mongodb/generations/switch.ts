import { setTimeout as wait } from 'node:timers/promises';
import { ReadModelsUnavailable, type ReadPosition } from '../../read-models.ts';
import { catchUpMs, promoteStepsMax, refreshMs, settledMs, silentMs, graceMs as usualGraceMs } from '../limits.ts';
import type { Control } from './control.ts';
import type { Pointer } from './pointer.ts';
import { versionOf } from './registry.ts';
import type { StoredGeneration } from './stored-generation.ts';

/** The condition of a step of the switch, besides that the pointer has been unchanged long enough for every process to know it. */
type Condition =
  | { readonly type: 'none' }
  /** Generation `name` is at least at the positions of generation `with`. */
  | { readonly type: 'caught-up'; readonly name: string; readonly with: string }
  /** No reader uses these any more, or the time limit has passed. */
  | { readonly type: 'unread'; readonly names: readonly string[] };

type Move = { readonly to: Pick<Pointer, 'read' | 'awaited' | 'still'>; readonly condition: Condition };

/** Returns the next step towards a pointer by which only `name` is read and waited for. Readers learn of a step with a delay, so no step
 * removes what the step before it allowed: writes wait for a generation before it is read, and until it is no longer read. */
export const nextMove = (name: string, pointer: Pointer | undefined): Move | undefined => {
  if (!pointer || pointer.read === null) return { to: { read: name, awaited: [name], still: [] }, condition: { type: 'none' } };
  const { read, awaited, still } = pointer;
  if (read !== name) {
    if (!awaited.includes(name)) return { to: { read, awaited: [...awaited, name], still }, condition: { type: 'none' } };
    const others = versionOf(read) === versionOf(name) ? still : [...still, read];
    return { to: { read: name, awaited, still: others.filter((one) => one !== name) }, condition: { type: 'caught-up', name, with: read } };
  }
  if (still.length > 0) return { to: { read, awaited, still: [] }, condition: { type: 'unread', names: still } };
  return awaited.length > 1 ? { to: { read, awaited: [name], still: [] }, condition: { type: 'none' } } : undefined;
};

type PromotionControl = Pick<Control, 'pointer' | 'putPointer' | 'setState' | 'readers'>;

export type Promotion = {
  readonly control: PromotionControl;
  readonly generation: (name: string) => Pick<StoredGeneration, 'positions'>;
  /** How long readers of another version may delay the switch. */
  readonly graceMs?: number | undefined;
};

/** Makes a generation the live one, step by step. Any process may repeat the call, which resumes where the last one ended.
 * @throws ReadModelsUnavailable where the generation is incomplete or does not catch up, where another one has replaced it meanwhile, or where
 * others keep changing the pointer */
export const promote = async (name: string, { control, generation, graceMs = usualGraceMs }: Promotion): Promise<void> => {
  const complete = await generation(name).positions();
  if (complete.includes(undefined)) throw new ReadModelsUnavailable(`Generation ${name} is not complete.`);
  if (!(await control.setState(name, 'live'))) throw new ReadModelsUnavailable(`There is no generation ${name}.`);
  const graceEndMs = performance.now() + graceMs;
  let wasRead = false;
  for (let steps = 0; steps < promoteStepsMax; steps += 1) {
    const pointer = await control.pointer();
    if (wasRead && pointer?.read !== name) throw new ReadModelsUnavailable(`Another generation has replaced ${name}.`);
    const move = nextMove(name, pointer);
    if (!move) return;
    // Before the first pointer no process can rely on an earlier one.
    if (pointer && pointer.revision > 0) await wait(settledMs);
    await awaitCondition(move.condition, { control, generation, graceEndMs });
    const isMoved = await control.putPointer(pointer, { ...move.to, revision: (pointer?.revision ?? 0) + 1 });
    wasRead = (isMoved ? move.to : pointer)?.read === name;
  }
  throw new ReadModelsUnavailable('Other processes keep changing which generation is live.');
};

type Holding = { readonly control: PromotionControl; readonly generation: Promotion['generation']; readonly graceEndMs: number };

const awaitCondition = async (condition: Condition, { control, generation, graceEndMs }: Holding): Promise<void> => {
  if (condition.type === 'caught-up') await awaitCatchUp(generation(condition.name), generation(condition.with));
  if (condition.type === 'unread') await awaitUnread(control, condition.names, graceEndMs);
};

/** Waits until one generation has caught up with the other. Everything acknowledged before writes waited for the new one is at or below the
 * current positions of the old one. */
const awaitCatchUp = async (one: Pick<StoredGeneration, 'positions'>, other: Pick<StoredGeneration, 'positions'>): Promise<void> => {
  const goals = await other.positions();
  const end = performance.now() + catchUpMs;
  while (performance.now() < end) {
    const positions = await one.positions();
    if (goals.every((goal, partition) => reaches(positions[partition], goal))) return;
    await wait(refreshMs / 10);
  }
  throw new ReadModelsUnavailable('The generation does not catch up with the live one.');
};

/** @throws Error where the positions are of different logs */
const reaches = (position: ReadPosition | undefined, goal: ReadPosition | undefined): boolean => {
  if (!goal) return true;
  if (!position) return false;
  if (position.incarnation !== goal.incarnation) throw new Error('The live generation is of another log: it has to be withdrawn first.');
  return position.position >= goal.position;
};

/** Waits until no reader uses the generations. A reader that does not register again within `silentMs` is removed. */
const awaitUnread = async ({ readers }: PromotionControl, names: readonly string[], graceEndMs: number): Promise<void> => {
  let before = await readers.of(names);
  while (before.length > 0 && performance.now() < graceEndMs) {
    await wait(Math.min(silentMs, Math.max(0, graceEndMs - performance.now())));
    const after = await readers.of(names);
    const silent = after.filter(({ reader, beats }) => before.some((one) => one.reader === reader && one.beats === beats));
    if (performance.now() < graceEndMs) for (const one of silent) await readers.forget(one);
    before = after.filter((one) => !silent.includes(one));
  }
};
