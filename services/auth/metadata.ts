import { scopes } from '@waymark/domain/application/events.ts';
import { oauthPaths } from '@waymark/http/api/oauth-endpoints.ts';
import type { Answer } from '@waymark/http/call.ts';

const methods = ['client_secret_basic', 'client_secret_post'];

/** Returns the authorization server metadata of RFC 8414. */
export const metadata = (base: string): Answer => ({
  status: 200,
  headers: { 'Cache-Control': 'public, max-age=3600' },
  body: JSON.stringify({
    issuer: base,
    token_endpoint: `${base}${oauthPaths.token}`,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${base}${oauthPaths.revoke}`,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint: `${base}${oauthPaths.introspect}`,
    introspection_endpoint_auth_methods_supported: methods,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: scopes,
    service_documentation: `${base}/openapi.json`,
  }),
});
