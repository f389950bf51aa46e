import type { Scope, Secret } from './events.ts';

export type ApplicationCommand =
  | {
      readonly type: 'RegisterApplication';
      readonly account: string;
      readonly application: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly secret: Secret;
    }
  | { readonly type: 'AddSecret'; readonly application: string; readonly secret: Secret }
  | { readonly type: 'DropSecret'; readonly application: string; readonly secretId: string }
  | { readonly type: 'SuspendApplication'; readonly application: string }
  | { readonly type: 'ResumeApplication'; readonly application: string }
  | { readonly type: 'DeleteApplication'; readonly application: string }
  | { readonly type: 'ChangeScopes'; readonly application: string; readonly scopes: readonly Scope[] };

export type ApplicationRefusal = 'not-found' | 'id-taken' | 'two-secrets' | 'unknown-secret';
