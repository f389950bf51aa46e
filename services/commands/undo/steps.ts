import type { Category } from '@waymark/domain/category/decide.ts';
import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { Happening } from '@waymark/domain/happening/decide.ts';
import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import type { List } from '@waymark/domain/list/decide.ts';
import type { ListFields } from '@waymark/domain/list/events.ts';
import type { Pinpoint } from '@waymark/domain/pinpoint/decide.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { KeptReason, UndoStep } from '@waymark/domain/undo/plan.ts';
import type { Lookups } from '../execution/lookups.ts';

/** The object in which something is restored or undone. */
export type UndoneObject = { readonly account: string; readonly kind: ResourceKind; readonly id: number };

/** Returns the command that carries out a step. */
export type Command<Of extends AggregateTypes> = (
  lookups: Lookups,
  object: UndoneObject,
  step: UndoStep,
  state: Of['state'],
) => Of['command'] | Promise<Of['command']>;

// The history has the values of an event's own fields: they have their types.

export const pinpointCommand: Command<Pinpoint> = (_, { account, id: pinpoint }, step) => {
  switch (step.type) {
    case 'restore':
      return { type: 'RestorePinpoint', account, pinpoint, fields: step.fields as PinpointFields };
    case 'edit':
      // A category that existed once exists for good.
      return { type: 'EditPinpoint', account, pinpoint, fields: step.fields, categoryExists: true };
    case 'delete':
      return { type: 'DeletePinpoint', account, pinpoint };
    default:
      throw new Error(`A pinpoint has no step "${step.type}".`);
  }
};

export const listCommand: Command<List> = (_, { account, id: list }, step) => {
  switch (step.type) {
    case 'restore':
      return { type: 'RestoreList', account, list, fields: step.fields as ListFields };
    case 'edit':
      return { type: 'EditList', account, list, fields: step.fields };
    case 'delete':
      return { type: 'DeleteList', account, list };
    case 'add':
      return { type: 'AddPinpoints', account, list, pinpoints: step.pinpoints, notAdded: [] };
    case 'remove':
      return { type: 'RemovePinpoints', account, list, pinpoints: step.pinpoints };
  }
};

export const categoryCommand: Command<Category> = (_, { account, id: category }, step) => {
  switch (step.type) {
    case 'restore':
    case 'edit':
      return { type: 'EditCategory', account, category, fields: step.fields };
    default:
      throw new Error(`A category has no step "${step.type}".`);
  }
};

export const happeningCommand: Command<Happening> = async (lookups, { account, id: happening }, step, state) => {
  switch (step.type) {
    case 'restore': {
      const fields = step.fields as HappeningFields;
      const pinpointExists = (await lookups.placeAt(account, fields.pinpoint)) !== 'unknown';
      return { type: 'RestoreHappening', account, happening, fields, pinpointExists };
    }
    case 'edit': {
      const fields = step.fields as Partial<HappeningFields>;
      const place = fields.pinpoint === undefined ? 'present' : await lookups.placeAt(account, fields.pinpoint);
      return { type: 'EditHappening', account, happening, fields, pinpointExists: await hasPinpoint(lookups, state), place };
    }
    case 'delete':
      return { type: 'DeleteHappening', account, happening, pinpointExists: await hasPinpoint(lookups, state) };
    default:
      throw new Error(`A happening has no step "${step.type}".`);
  }
};

const hasPinpoint = async (lookups: Lookups, happening: Happening['state']): Promise<boolean> =>
  happening.status === 'present' && lookups.pinpointExists(happening.fields.pinpoint);

/** Returns why a step is kept that a decider refuses. The plan was made at the same revision, so only other objects can be the reason. */
export const keptBecause = (refusal: string): KeptReason => (refusal === 'too-many-happenings' ? 'limit' : 'pinpoint-deleted');
