import { Type } from '@sinclair/typebox';

const Credentials = {
  client_id: Type.Optional(Type.String({ description: 'Needed where there is no Basic header' })),
  client_secret: Type.Optional(Type.String({ description: 'Only where there is no Basic header' })),
};

const Scope = Type.String({ description: 'Space separated' });

export const TokenForm = Type.Object({
  grant_type: Type.Literal('client_credentials'),
  scope: Type.Optional(Type.String({ description: 'Space separated; narrows the grant' })),
  ...Credentials,
});

/** Body of a revocation or introspection request. */
export const OwnTokenForm = Type.Object({
  token: Type.String(),
  token_type_hint: Type.Optional(Type.String({ description: 'Ignored: there are access tokens only' })),
  ...Credentials,
});

export const Token = Type.Object({
  access_token: Type.String({ description: 'Opaque' }),
  expires_in: Type.Integer({ minimum: 1, description: 'Seconds' }),
  scope: Scope,
  token_type: Type.Literal('Bearer'),
});

export const Revocation = Type.Object({}, { description: 'Nothing is told, whether there was such a token or not' });

export const Introspection = Type.Object(
  {
    active: Type.Boolean(),
    client_id: Type.Optional(Type.String()),
    scope: Type.Optional(Scope),
    token_type: Type.Optional(Type.Literal('Bearer')),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since the epoch' })),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since the epoch' })),
  },
  { description: 'RFC 7662; of a token that is not active, or not the own one, nothing but that' },
);

export const OAuthError = Type.Object(
  {
    error: Type.Union(
      ['invalid_request', 'invalid_client', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'].map((error) =>
        Type.Literal(error),
      ),
    ),
    error_description: Type.Optional(Type.String()),
  },
  { description: 'RFC 6749, section 5.2' },
);

const texts = Type.Array(Type.String());
const Url = Type.String({ format: 'uri' });

export const ServerMetadata = Type.Object(
  {
    issuer: Url,
    token_endpoint: Url,
    token_endpoint_auth_methods_supported: texts,
    revocation_endpoint: Url,
    revocation_endpoint_auth_methods_supported: texts,
    introspection_endpoint: Url,
    introspection_endpoint_auth_methods_supported: texts,
    grant_types_supported: texts,
    response_types_supported: texts,
    scopes_supported: texts,
    service_documentation: Url,
  },
  { description: 'RFC 8414' },
);
