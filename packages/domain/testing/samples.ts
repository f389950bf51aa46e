import type { DomainEvent, Envelope, RecordedEvent } from '../event.ts';
import type { StoredFile } from '../fields.ts';
import type { HappeningFields } from '../happening/events.ts';
import type { PinpointFields } from '../pinpoint/events.ts';
import type { UndoLine } from '../undo/events.ts';

// A sample of every event and shape, with every possible field: for tests, and for checking EVENTS.md against the code.

export const sampleFile: StoredFile = {
  name: '0f1e2d3c4b5a69788796a5b4c3d2e1f0.png',
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  type: 'image/png',
  bytes: 48_211,
};

const account = '5d41402abc4b2a76b9719d911017c592';
const application = 'app-1';
const secret = { id: 'secret-1', hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' };

const pinpointFields: PinpointFields = {
  name: 'Harbour light',
  address: 'Mole 1, Nida',
  latitude: 55.303,
  longitude: 21.005,
  altitude: 3.5,
  category: 4,
  description: '<p>White, then red.</p>',
  mediaCredits: 'Photo: R. Jonaitis',
  media: sampleFile,
  tags: ['light', 'harbour'],
};

const happeningFields: HappeningFields = {
  name: 'Open day',
  pinpoint: 12,
  dates: [{ start: '2026-06-01T08:00:00.000Z', end: '2026-06-01T18:00:00.000Z' }],
  description: '<p>Free entry.</p>',
  mediaCredits: 'Photo: R. Jonaitis',
  media: sampleFile,
  tags: ['open'],
};

const listFields = { name: 'Lights of the coast', description: '<p>From north to south.</p>' };
const categoryFields = { name: 'Lighthouse', image: sampleFile };

const changeset = '0190b7f2-6a51-7cc0-9d9e-0d3b5f9a6c12';
const order = { account, object: 'pinpoint-12', by: 'clerk-3', reason: 'erasure-request', case: 'case-2026-14' };
export const sampleUndoLine: UndoLine = {
  object: 'list-7',
  outcome: 'partly',
  revision: 4,
  reason: 'changed-since',
  fields: ['name'],
  pinpoints: [12],
};

const summary = { count: 3, digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae' };

export const sampleEvents: { readonly [Type in DomainEvent['type']]: Extract<DomainEvent, { type: Type }> } = {
  PinpointCreated: { type: 'PinpointCreated', account, pinpoint: 12, fields: pinpointFields },
  PinpointEdited: { type: 'PinpointEdited', pinpoint: 12, fields: pinpointFields },
  PinpointDeleted: { type: 'PinpointDeleted', pinpoint: 12 },
  PinpointRestored: { type: 'PinpointRestored', pinpoint: 12, fields: pinpointFields },
  PinpointRedacted: { type: 'PinpointRedacted', account, pinpoint: 12, summary, fields: pinpointFields },
  ListCreated: { type: 'ListCreated', account, list: 7, fields: listFields },
  ListEdited: { type: 'ListEdited', list: 7, fields: listFields },
  ListDeleted: { type: 'ListDeleted', list: 7 },
  PinpointsAdded: { type: 'PinpointsAdded', list: 7, pinpoints: [12], notAdded: [{ pinpoint: 99, reason: 'not_found' }] },
  PinpointsRemoved: { type: 'PinpointsRemoved', list: 7, pinpoints: [12] },
  ListRestored: { type: 'ListRestored', list: 7, fields: listFields },
  ListMembersRestated: { type: 'ListMembersRestated', list: 7, from: 1, to: 99, members: [12] },
  ListRedacted: { type: 'ListRedacted', account, list: 7, summary, fields: listFields, restatedFrom: 3 },
  CategoryCreated: { type: 'CategoryCreated', account, category: 4, fields: categoryFields },
  CategoryEdited: { type: 'CategoryEdited', category: 4, fields: categoryFields },
  CategoryRedacted: { type: 'CategoryRedacted', account, category: 4, summary, fields: categoryFields },
  HappeningCreated: { type: 'HappeningCreated', account, happening: 31, fields: happeningFields },
  HappeningEdited: { type: 'HappeningEdited', happening: 31, fields: happeningFields },
  HappeningDeleted: { type: 'HappeningDeleted', happening: 31 },
  HappeningRestored: { type: 'HappeningRestored', happening: 31, fields: happeningFields },
  HappeningRedacted: { type: 'HappeningRedacted', account, happening: 31, summary, fields: happeningFields, pinpoint: 12 },
  ApplicationRegistered: {
    type: 'ApplicationRegistered',
    account,
    application,
    name: 'Museum CMS',
    scopes: ['write', 'read'],
    secret,
  },
  SecretAdded: { type: 'SecretAdded', application, secret: { ...secret, id: 'secret-2' } },
  SecretDropped: { type: 'SecretDropped', application, secretId: 'secret-1' },
  ApplicationSuspended: { type: 'ApplicationSuspended', application },
  ApplicationResumed: { type: 'ApplicationResumed', application },
  ApplicationDeleted: { type: 'ApplicationDeleted', application },
  ApplicationScopesChanged: { type: 'ApplicationScopesChanged', application, scopes: ['write', 'read', 'audit'] },
  ApplicationRedacted: {
    type: 'ApplicationRedacted',
    account,
    application,
    summary,
    status: 'active',
    scopes: ['write', 'read'],
    secrets: [secret],
    suspended: 1,
  },
  AccountOpened: { type: 'AccountOpened', account, name: 'Museum of the Coast' },
  ChangesetOpened: { type: 'ChangesetOpened', account, changeset, comment: 'Opening hours of the summer', by: 'editor-7' },
  ChangesetRedacted: { type: 'ChangesetRedacted', account, changeset, summary },
  ErasureOrdered: { type: 'ErasureOrdered', ...order },
  HoldPlaced: { type: 'HoldPlaced', ...order },
  HoldReleased: { type: 'HoldReleased', ...order },
  UndoStarted: {
    type: 'UndoStarted',
    account,
    undo: changeset,
    correlation: 'request-1',
    application: null,
    from: null,
    to: null,
    through: '0190b7f2-6a51-7cc0-9d9e-0d3b5f9a6c11',
  },
  UndoReported: { type: 'UndoReported', undo: changeset, lines: [sampleUndoLine] },
  UndoEnded: { type: 'UndoEnded', undo: changeset, outcome: 'done', reason: null },
};

/** Samples of the versions that earlier releases wrote. */
export const olderSamples: readonly { readonly version: number; readonly event: DomainEvent }[] = [
  { version: 1, event: { type: 'ListRedacted', account, list: 7, summary, fields: listFields, members: [12] } },
];

export const sampleEnvelope: Envelope = {
  id: '0190b7f2-6a51-7cc0-9d9e-0d3b5f9a6c11',
  type: 'PinpointDeleted',
  version: 1,
  account,
  actor: application,
  token: 'token-1',
  request: 'request-1',
  correlation: 'request-1',
  cause: null,
  time: '2026-06-01T08:00:00.000Z',
  release: '0.1.0',
  commitment: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
  sanitized: false,
};

/** Returns an event as a log delivers it: `content` unchanged, under any type and version. */
export const recorded = (type: string, version: number, content: string | null): RecordedEvent => {
  const says: Readonly<Record<string, unknown>> = content?.startsWith('{"') ? JSON.parse(content) : {};
  return {
    stream: streamOf(says),
    revision: 0,
    position: 1,
    envelope: { ...sampleEnvelope, type, version, account: String(says['account'] ?? sampleEnvelope.account) },
    salt: content === null ? null : 'AAAAAAAAAAAAAAAAAAAAAA',
    content,
  };
};

const streamOf = (says: Readonly<Record<string, unknown>>): string => {
  if (says['object'] !== undefined) return `orders-${says['account']}`;
  const subjects = ['happening', 'list', 'category', 'pinpoint', 'undo', 'changeset', 'application', 'account'];
  const about = subjects.find((name) => says[name] !== undefined);
  return about === undefined ? 'pinpoint-12' : `${about}-${says[about]}`;
};
