/** The paths for getting, revoking and inspecting tokens, and for the metadata of the token endpoints. The caller sends client credentials,
 * or none. */
export const oauthPaths = {
  token: '/v3.0/oauth2/token',
  revoke: '/v3.0/oauth2/revoke',
  introspect: '/v3.0/oauth2/introspect',
  metadata: '/.well-known/oauth-authorization-server',
} as const;
