/** Where applications get their tokens and learn of them: what is called with client credentials, or without any. */
export const oauthPaths = {
  token: '/v3.0/oauth2/token',
  revoke: '/v3.0/oauth2/revoke',
  introspect: '/v3.0/oauth2/introspect',
  metadata: '/.well-known/oauth-authorization-server',
} as const;
