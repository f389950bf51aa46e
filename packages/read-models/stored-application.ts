import type { ApplicationDocument } from './read-models.ts';

/** An application's document as JSON text, in SQLite and in MongoDB. Stored: never rename a field, and keep their order, because texts are
 * compared. */
type StoredApplication = {
  readonly id: string;
  readonly account: string;
  readonly revision: number;
  readonly status: 'active' | 'suspended' | 'deleted';
  readonly suspended: number;
  readonly name: string;
  readonly scopes: ApplicationDocument['scopes'];
  readonly secrets: readonly { readonly id: string; readonly hash: string }[];
};

const toStored = (document: ApplicationDocument): StoredApplication => ({
  id: document.id,
  account: document.account,
  revision: document.revision,
  status: document.status,
  suspended: document.suspended,
  name: document.name,
  scopes: document.scopes,
  secrets: document.secrets.map((secret) => ({ id: secret.id, hash: secret.hash })),
});

const fromStored = (stored: StoredApplication): ApplicationDocument => ({
  id: stored.id,
  account: stored.account,
  revision: stored.revision,
  status: stored.status,
  suspended: stored.suspended,
  name: stored.name,
  scopes: stored.scopes,
  secrets: stored.secrets.map((secret) => ({ id: secret.id, hash: secret.hash })),
});

export const applicationText = (document: ApplicationDocument): string => JSON.stringify(toStored(document));

export const parseApplication = (text: string): ApplicationDocument => fromStored(JSON.parse(text));

/** Returns the account of a stored application. */
export const accountInText = (text: string): string => (JSON.parse(text) as StoredApplication).account;
