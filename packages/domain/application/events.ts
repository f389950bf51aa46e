import type { ErasureSummary } from '../erasure-summary.ts';

export const scopes = ['write', 'read', 'audit'] as const;
export type Scope = (typeof scopes)[number];

/** A client secret as it is stored: `hash` is the SHA-256 hash of the secret, in base64url. Stored in events: never rename a field. */
export type Secret = { readonly id: string; readonly hash: string };

export type ApplicationEvent =
  | {
      readonly type: 'ApplicationRegistered';
      readonly account: string;
      readonly application: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly secret: Secret;
    }
  | { readonly type: 'SecretAdded'; readonly application: string; readonly secret: Secret }
  | { readonly type: 'SecretDropped'; readonly application: string; readonly secretId: string }
  | { readonly type: 'ApplicationSuspended'; readonly application: string }
  | { readonly type: 'ApplicationResumed'; readonly application: string }
  | { readonly type: 'ApplicationDeleted'; readonly application: string }
  /** `scopes`: all that it may do from now on. Tokens that it has are limited to them. */
  | { readonly type: 'ApplicationScopesChanged'; readonly application: string; readonly scopes: readonly Scope[] }
  /** All earlier events were erased. Its present state stays, without its name. Without scopes and secrets if it was deleted. */
  | {
      readonly type: 'ApplicationRedacted';
      readonly account: string;
      readonly application: string;
      readonly summary: ErasureSummary;
      readonly status: 'active' | 'suspended' | 'deleted';
      readonly scopes: readonly Scope[];
      readonly secrets: readonly Secret[];
      /** The revision of its last suspension; null if there was none. */
      readonly suspended: number | null;
    };

export const applicationEventVersions: Record<ApplicationEvent['type'], number> = {
  ApplicationRegistered: 1,
  SecretAdded: 1,
  SecretDropped: 1,
  ApplicationSuspended: 1,
  ApplicationResumed: 1,
  ApplicationDeleted: 1,
  ApplicationScopesChanged: 1,
  ApplicationRedacted: 1,
};
