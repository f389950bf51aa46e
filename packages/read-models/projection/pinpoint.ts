import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import type { Change, Fact, Lookup } from './change.ts';
import { deleted, pinpoints, restored } from './document.ts';

export const pinpointDeleted = (id: number, fact: Fact, lookup: Lookup): readonly Change[] => [
  deleted('pinpoint', id, fact, lookup),
  pinpointShown(id, false),
];

export const pinpointRestored = (id: number, fields: PinpointFields, fact: Fact, lookup: Lookup): readonly Change[] => {
  const change = restored(pinpoints, id, fields, fact, lookup);
  return change.type === 'put' && !change.before?.present ? [change, pinpointShown(id, true)] : [change];
};

export const pinpointShown = (pinpoint: number, shown: boolean): Change => ({ type: 'pinpoint-shown', pinpoint, shown });
