import type { Envelope, RecordedEvent } from './event.ts';

/** Whether a value that came from elsewhere is an event as a log keeps it. What its content says is not looked at. */
export const isRecordedEvent = (value: unknown): value is RecordedEvent =>
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
