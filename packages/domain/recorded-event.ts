import type { Envelope } from './event.ts';
import type { StoredEvent } from './stored-event.ts';

/** Returns whether a value from outside is a stored event. The check does not cover the meaning of its content. */
export const isStoredEvent = (value: unknown): value is StoredEvent =>
  isObject(value) &&
  isText(value['stream']) &&
  isWhole(value['revision']) &&
  isWhole(value['position']) &&
  isTextOrNull(value['salt']) &&
  isTextOrNull(value['content']) &&
  isObject(value['envelope']) &&
  isEnvelope(value['envelope']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const texts = ['id', 'type', 'account', 'actor', 'correlation', 'time', 'release', 'commitment'] satisfies (keyof Envelope)[];
const textsOrNull = ['token', 'request', 'cause'] satisfies (keyof Envelope)[];

const isEnvelope = (envelope: Readonly<Record<string, unknown>>): boolean =>
  texts.every((name) => isText(envelope[name])) &&
  textsOrNull.every((name) => isTextOrNull(envelope[name])) &&
  isWhole(envelope['version']) &&
  typeof envelope['sanitized'] === 'boolean';
