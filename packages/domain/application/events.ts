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
  | { readonly type: 'ApplicationDeleted'; readonly application: string };

export const applicationEventVersions: Record<ApplicationEvent['type'], number> = {
  ApplicationRegistered: 1,
  SecretAdded: 1,
  SecretDropped: 1,
  ApplicationSuspended: 1,
  ApplicationResumed: 1,
  ApplicationDeleted: 1,
};
